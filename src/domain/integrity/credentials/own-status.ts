import type { JsonObject } from '../../json/is-object.ts';
import type { Check } from '../proofs/reasons.ts';
import type { Credential, CredentialRecords } from './credential-records.ts';
import { isEntryOf } from './entry-owner.ts';
import { type EntryPorts, entryIn, listAt } from './status.ts';
import { failed, unknown } from './verify-credential.ts';

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
