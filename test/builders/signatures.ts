import { offlineSignatures } from '../../src/cli/commands/verify/verify-manifest.ts';
import type { Canonicalizer } from '../../src/domain/integrity/proofs/proof.ts';

/** Checks signatures without status lists. */
export async function signatureChecks(identifier: Canonicalizer) {
  return await offlineSignatures(identifier, { statusList: [], statusIssuer: [] });
}
