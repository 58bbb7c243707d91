import { ServiceError } from '../../errors.ts';
import { type CredentialRecords, credentialKey, idInKey } from './credential-records.ts';
import { entryAt, type StatusPorts } from './status.ts';
import type { StatusEntries, StatusEntry } from './status-entries.ts';

export interface RevocationPorts {
  readonly credentials: Pick<CredentialRecords, 'get'>;
  /** The JSON text of a credential that this service has issued for a statement. */
  readonly issuedCredential: (id: string) => Promise<string | undefined>;
  readonly statusLists: StatusPorts['statusLists'];
  readonly statusEntries: Pick<StatusEntries, 'get' | 'among' | 'insert' | 'update'>;
  readonly base: StatusPorts['base'];
  /** Asks for a new signed form of a list. The entry is stored, so it does not matter if this is lost. */
  readonly requestStatusList: (listId: string) => Promise<void>;
}

export interface Revocation {
  readonly statusListCredential: string;
  readonly statusListIndex: string;
  /** False lifts a suspension. */
  readonly status: boolean;
}

/**
 * Revokes or suspends a credential, or lifts its suspension. The entry is stored when this resolves. Repeats are
 * harmless.
 * @returns the JSON text of the credential.
 * @throws ServiceError `not_found`; `invalid_request` if the entry is not of this credential; `conflict` for lifting a
 * revocation.
 */
export async function revokeCredential(
  ports: RevocationPorts,
  credentialId: string,
  { statusListCredential, statusListIndex, status }: Revocation,
): Promise<string> {
  const key = credentialKey(credentialId);
  const entry = await entryAt(ports, statusListCredential, statusListIndex);
  const isOwn = entry !== undefined && idInKey(entry.credentialId) === key;
  const allocated = isOwn && entry.credentialId !== key ? undefined : await ports.credentials.get(key);
  const text = allocated?.text ?? (await ports.issuedCredential(key));
  if (text === undefined) throw new ServiceError('not_found', `The credential ${key} is not known here.`);
  if (!isOwn) throwBadEntry(key, statusListCredential, statusListIndex, text);
  if (entry.purpose === 'revocation' && !status) throwFinal(key);
  if (await changeStatus(ports.statusEntries, entry, status)) await ports.requestStatusList(entry.listId);
  return text;
}

/** @returns whether it was another status before. */
async function changeStatus(
  statusEntries: RevocationPorts['statusEntries'],
  found: StatusEntry,
  status: boolean,
): Promise<boolean> {
  const { id } = found;
  for (;;) {
    const entry = await statusEntries.get(id);
    if ((entry ?? found).status === status) return false;
    if (entry) {
      const { changes } = entry;
      if (await statusEntries.update(id, { changes }, { status, changes: changes + 1, isListed: false }))
        return true;
    } else {
      const [isNew] = await statusEntries.insert([{ ...found, status, changes: 1, isListed: false }]);
      if (isNew) return true;
      if (!(await statusEntries.get(id)))
        throw new ServiceError('not_found', `The status entry ${id} is gone.`);
    }
  }
}

function throwBadEntry(key: string, list: string, index: string, text: string): never {
  const advice =
    JSON.parse(text).credentialStatus === undefined
      ? 'It was issued without status entries, so it cannot be revoked.'
      : 'Copy an entry from its credentialStatus.';
  throw new ServiceError(
    'invalid_request',
    `Entry ${index} of the list ${list} does not belong to the credential ${key}. ${advice}`,
    { details: [{ pointer: '/credentialStatus', reason: 'is not an entry of this credential' }] },
  );
}

function throwFinal(key: string): never {
  const message = `The revocation of the credential ${key} cannot be lifted. Only suspensions can.`;
  throw new ServiceError('conflict', message);
}
