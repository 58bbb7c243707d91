import { type Credential, credentialKey } from './credential-records.ts';
import { entryAt, type StatusPorts } from './status.ts';
import { parseStatusListUrl } from './status-list-url.ts';
import { type Check, failed, unknown } from './verify-credential.ts';

type OwnStatusPorts = Parameters<typeof entryAt>[0];

/** Checks an entry of a list of this service against the stored entries. Other lists are never fetched. */
export function ownStatusCheck(ports: OwnStatusPorts) {
  return async (entry: Readonly<Record<string, unknown>>, credential: Credential): Promise<Check> => {
    const { statusListCredential: list, statusListIndex: index } = entry;
    if (typeof list !== 'string' || typeof index !== 'string')
      return failed('An entry of credentialStatus lacks statusListCredential or statusListIndex.');
    if (!(await isOwnList(ports, list)))
      return unknown(
        `The status list ${list} is not of this service. Lists are not fetched from the network.`,
      );
    const found = await entryAt(ports, list, index);
    const { id } = credential;
    if (found?.credentialId !== (typeof id === 'string' ? credentialKey(id) : undefined))
      return failed(`Entry ${index} of the status list ${list} does not belong to this credential.`);
    if (!found?.status) return { result: 'ok' };
    return failed(`The credential is ${found.purpose === 'revocation' ? 'revoked' : 'suspended'}.`);
  };
}

async function isOwnList({ statusLists, base }: Pick<StatusPorts, 'statusLists' | 'base'>, url: string) {
  const named = parseStatusListUrl(url);
  const list = named && (await statusLists.get(named.id));
  return list !== undefined && (named?.base === list.base || named?.base === base());
}
