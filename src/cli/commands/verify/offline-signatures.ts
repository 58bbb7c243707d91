import type { Credential } from '../../../domain/integrity/credentials/credential-records.ts';
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
  const isSet = async (credential: Credential, purpose: string, word: string) => {
    for (const entry of listOf(credential.credentialStatus).slice(0, mostEntries)) {
      if (!isObject(entry) || entry.statusPurpose !== purpose) continue;
      if ((await check(entry, credential)).reason === `The credential is ${word}.`) return true;
    }
    return false;
  };
  return {
    ...ports,
    dsse: (envelope) => verifyDsse(envelope, new Map()),
    sigstore: async () =>
      failedCheck('Sigstore bundles are checked by the service that has their trusted root.', 'unknown'),
    standing: async (credential) => {
      if (lists.length === 0) return undefined;
      const revoked = await isSet(credential, 'revocation', 'revoked');
      return { revoked, suspended: await isSet(credential, 'suspension', 'suspended') };
    },
  };
}
