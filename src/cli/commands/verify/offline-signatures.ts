import { listStatusCheck } from '../../../domain/integrity/credentials/list-status.ts';
import type { ManifestSignatureChecking } from '../../../domain/integrity/manifest/signatures.ts';
import { verifyDsse } from '../../../domain/integrity/proofs/dsse.ts';
import { type Canonicalizer, failedCheck } from '../../../domain/integrity/proofs/proof.ts';
import { type KnownSigners, nobody } from './known-signers.ts';
import { listIn, type StatusOptions } from './verify-credential.ts';

/** Checks signatures without a service: keys from did:key and the given ones, status from the given lists. */
export async function offlineSignatures(
  identifier: Canonicalizer,
  { statusList, statusIssuer }: StatusOptions,
  { dids, methods, names }: KnownSigners = nobody,
): Promise<ManifestSignatureChecking> {
  const lists = await Promise.all(statusList.map(listIn));
  const ports = { identifier, ownKeys: [], givenKeys: methods, now: () => new Date() };
  return {
    ...ports,
    dsse: (envelope) => verifyDsse(envelope, names),
    sigstore: async () => failedCheck({ code: 'only_with_trusted_root' }, 'unknown'),
    statusCheck: listStatusCheck({ ...ports, lists, listIssuers: statusIssuer }),
    knownDids: dids,
  };
}
