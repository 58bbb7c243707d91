import type { JsonObject } from '../../json/is-object.ts';
import type { Check } from '../proofs/reasons.ts';
import { type Credential, type CredentialRecords, credentialKey, issuedKey } from './credential-records.ts';
import { type EntryPorts, entryIn, listAt } from './status.ts';
import type { StatusEntry } from './status-entries.ts';
import { failed, issuerOf, unknown } from './verify-credential.ts';

/** Checks an entry of a list of this service against the stored entries. Other lists are never fetched. */
export function ownStatusCheck(ports: EntryPorts & { readonly credentials: Pick<CredentialRecords, 'get'> }) {
  return async (entry: JsonObject, credential: Credential): Promise<Check> => {
    const { statusListCredential: url, statusListIndex: index } = entry;
    if (typeof url !== 'string' || typeof index !== 'string') return failed({ code: 'incomplete_entry' });
    const list = await listAt(ports, url);
    if (!list) return unknown({ code: 'list_not_own', url });
    const found = await entryIn(ports, list, index);
    if (!found || !(await isEntryOf(ports.credentials, found, credential)))
      return failed({ code: 'entry_of_other', url, index });
    if (!found.status) return { result: 'ok' };
    return failed({ code: found.purpose === 'revocation' ? 'revoked' : 'suspended' });
  };
}

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
