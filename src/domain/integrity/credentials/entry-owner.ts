import { type Credential, type CredentialRecords, credentialKey, issuedKey } from './credential-records.ts';
import type { StatusEntry } from './status-entries.ts';
import { issuerOf } from './verify-credential.ts';

/**
 * Whether a status entry was allocated for a credential that names it: for its id and its issuer. Anybody can allocate a
 * credential with the id of another one, but only the issuer can sign one that names the entry.
 */
export async function isEntryOf(
  credentials: Pick<CredentialRecords, 'get'>,
  { credentialId }: Pick<StatusEntry, 'credentialId'>,
  credential: Credential,
): Promise<boolean> {
  const { id } = credential;
  const issuer = issuerOf(credential);
  if (typeof id !== 'string' || issuer === undefined) return false;
  if (credentialId === issuedKey(issuer, id)) return true;
  if (credentialId !== credentialKey(id)) return false;
  const allocated = await credentials.get(credentialId);
  return allocated !== undefined && issuerOf(JSON.parse(allocated.text)) === issuer;
}
