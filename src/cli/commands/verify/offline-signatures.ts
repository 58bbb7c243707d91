import { listOf } from '../../../domain/integrity/credentials/credential-shape.ts';
import { listStatusCheck } from '../../../domain/integrity/credentials/list-status.ts';
import type { ManifestSignatureChecking } from '../../../domain/integrity/manifest/signatures.ts';
import { verifyDsse } from '../../../domain/integrity/proofs/dsse.ts';
import { type Canonicalizer, failedCheck } from '../../../domain/integrity/proofs/proof.ts';
import { isObject } from '../../../domain/json/is-object.ts';
import { listIn, type StatusOptions } from './verify-credential.ts';

const mostEntries = 20;

/** Checks signatures without a service: keys from did:key, status from the given lists. */
export async function offlineSignatures(
  identifier: Canonicalizer,
  { statusList, statusIssuer }: StatusOptions,
): Promise<ManifestSignatureChecking> {
  const now = () => new Date();
  const lists = await Promise.all(statusList.map(listIn));
  const ports = { identifier, ownKeys: [], now };
  const check = listStatusCheck({ ...ports, lists, listIssuers: statusIssuer });
  return {
    ...ports,
    dsse: (envelope) => verifyDsse(envelope, new Map()),
    sigstore: async () =>
      failedCheck('Sigstore bundles are checked by the service that has their trusted root.', 'unknown'),
    standing: async (credential) => {
      const entries = listOf(credential.credentialStatus).slice(0, mostEntries).filter(isObject);
      const checks = await Promise.all(entries.map((entry) => check(entry, credential)));
      const is = (word: string) => checks.some(({ reason }) => reason === `The credential is ${word}.`);
      const standing = { revoked: is('revoked'), suspended: is('suspended') };
      const isKnown = checks.length > 0 && checks.every(({ result }) => result === 'ok');
      return isKnown || standing.revoked || standing.suspended ? standing : undefined;
    },
  };
}
