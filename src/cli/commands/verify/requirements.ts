import type { ManifestSummary } from '../../../domain/integrity/manifest/summary.ts';

/** What a manifest has to fulfil beside being unaltered. */
export interface Requirements {
  /** Every statement is signed, validly and as a whole, by somebody whom the user trusts. */
  readonly requireSigner?: true;
  /** No credential is known to be withdrawn, or might be. */
  readonly requireStatus?: true;
  /** Every statement is in a whole log that the user trusts. */
  readonly requireComplete?: true;
}

type Judged = Pick<ManifestSummary, 'ids' | 'known' | 'credentials' | 'logs' | 'unlogged'>;

/** Why a manifest does not fulfil the requirements; undefined if it does. */
export function unmetRequirement(
  { ids, known, credentials, logs, unlogged }: Judged,
  { requireSigner, requireStatus, requireComplete }: Requirements,
): string | undefined {
  if (requireSigner && ids === 0) return 'There is no statement that somebody you trust could have signed.';
  if (requireSigner && known < ids)
    return `${ids - known} of ${ids} statements are not signed by those you trust (--require-signer). Name these with --signer or --keys.`;
  const { suspended, revoked, unknown } = credentials;
  const bad = suspended + revoked + unknown;
  if (requireStatus && bad > 0)
    return `${bad} ${bad === 1 ? 'credential is' : 'credentials are'} revoked, suspended or of unknown status (--require-status).`;
  return requireComplete ? whyIncomplete({ logs, unlogged }) : undefined;
}

function whyIncomplete({ logs, unlogged }: Pick<Judged, 'logs' | 'unlogged'>): string | undefined {
  if (logs.length === 0)
    return 'Nothing proves that the manifest is complete (--require-complete). Export it with --proofs.';
  if (logs.some(({ checkpoint }) => !checkpoint.isKnown))
    return 'Nobody can tell whose log proves it (--require-complete). Name the key of the log with --log-key.';
  if (unlogged > 0) return `No log has ${unlogged} of the statements (--require-complete).`;
  return undefined;
}
