import type { JsonObject } from '../../json/is-object.ts';
import type { Credential, CredentialRecords } from './credential-records.ts';
import { isEntryOf } from './entry-owner.ts';
import { type EntryPorts, entryIn, listAt } from './status.ts';
import { type Check, failed, unknown } from './verify-credential.ts';

/** Checks an entry of a list of this service against the stored entries. Other lists are never fetched. */
export function ownStatusCheck(ports: EntryPorts & { readonly credentials: Pick<CredentialRecords, 'get'> }) {
  return async (entry: JsonObject, credential: Credential): Promise<Check> => {
    const { statusListCredential: url, statusListIndex: index } = entry;
    if (typeof url !== 'string' || typeof index !== 'string')
      return failed('An entry of credentialStatus lacks statusListCredential or statusListIndex.');
    const list = await listAt(ports, url);
    if (!list)
      return unknown(
        `The status list ${url} is not of this service. Lists are not fetched from the network.`,
      );
    const found = await entryIn(ports, list, index);
    if (!found || !(await isEntryOf(ports.credentials, found, credential)))
      return failed(`Entry ${index} of the status list ${url} does not belong to this credential.`);
    if (!found.status) return { result: 'ok' };
    return failed(`The credential is ${found.purpose === 'revocation' ? 'revoked' : 'suspended'}.`);
  };
}
