import type { ManifestSummary } from '../../../domain/integrity/manifest/summary.ts';

/** What a manifest has to fulfil beside being unaltered. */
export interface Requirements {
  /** Every statement is signed, validly and as a whole, by somebody whom the user trusts. */
  readonly requireSigner?: true;
  /** No credential is known to be withdrawn, or might be. */
  readonly requireStatus?: true;
}

/** Why a manifest does not fulfil the requirements; undefined if it does. */
export function unmetRequirement(
  { ids, known, credentials }: Pick<ManifestSummary, 'ids' | 'known' | 'credentials'>,
  { requireSigner, requireStatus }: Requirements,
): string | undefined {
  if (requireSigner && ids === 0) return 'There is no statement that somebody you trust could have signed.';
  if (requireSigner && known < ids)
    return `${ids - known} of ${ids} statements are not signed by those you trust (--require-signer). Name these with --signer or --keys.`;
  const { suspended, revoked, unknown } = credentials;
  const bad = suspended + revoked + unknown;
  if (requireStatus && bad > 0)
    return `${bad} ${bad === 1 ? 'credential is' : 'credentials are'} revoked, suspended or of unknown status (--require-status).`;
  return undefined;
}
