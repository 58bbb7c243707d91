import type { Judged, Judgement, VerificationRule } from '../../../domain/integrity/policies/verification.ts';

/** What a manifest has to fulfil beside being unaltered. */
export interface Requirements {
  /** Every statement is signed, validly and as a whole, by somebody whom the user trusts. */
  readonly requireSigner?: true;
  /** No credential is known to be withdrawn, or might be. */
  readonly requireStatus?: true;
  /** Every statement is in a whole log that the user trusts. */
  readonly requireComplete?: true;
}

type Counts = Pick<Judged, 'ids' | 'known' | 'credentials' | 'unlogged'>;

/** The rules that the user can require, with what to say if one is broken. */
const required: readonly (readonly [keyof Requirements, VerificationRule, (counts: Counts) => string])[] = [
  [
    'requireSigner',
    'there are statements',
    () => 'There is no statement that somebody you trust could have signed.',
  ],
  [
    'requireSigner',
    'all are signed by somebody whom the reader trusts',
    ({ ids, known }) =>
      `${ids - known} of ${ids} statements are not signed by those you trust (--require-signer). Name these with --signer or --keys.`,
  ],
  [
    'requireStatus',
    'no credential is or may be withdrawn',
    ({ credentials: { suspended, revoked, unknown } }) => {
      const bad = suspended + revoked + unknown;
      return `${bad} ${bad === 1 ? 'credential is' : 'credentials are'} revoked, suspended or of unknown status (--require-status).`;
    },
  ],
  [
    'requireComplete',
    'a log shows what there is',
    () => 'Nothing proves that the manifest is complete (--require-complete). Export it with --proofs.',
  ],
  [
    'requireComplete',
    'the reader trusts these logs',
    () => 'Nobody can tell whose log proves it (--require-complete). Name the key of the log with --log-key.',
  ],
  [
    'requireComplete',
    'the logs have all statements',
    ({ unlogged }) => `No log has ${unlogged} of the statements (--require-complete).`,
  ],
];

/** Why a manifest does not fulfil the requirements; undefined if it does. */
export function unmetRequirement(
  counts: Counts,
  { broken }: Judgement,
  requirements: Requirements,
): string | undefined {
  const unmet = required.find(([flag, rule]) => requirements[flag] && broken.has(rule));
  return unmet?.[2](counts);
}
