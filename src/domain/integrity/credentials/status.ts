import { ServiceError } from '../../errors.ts';
import { type CredentialStatus, inCredentials } from './allocate.ts';
import { credentialKey, idInKey, issuedKey } from './credential-records.ts';
import {
  bothEntries,
  entryId,
  parseStatusListUrl,
  purposes,
  type StatusEntries,
  type StatusEntry,
  type StatusList,
  type StatusLists,
} from './status-entries.ts';

export interface StatusPorts {
  readonly statusLists: Pick<StatusLists, 'get'>;
  readonly statusEntries: Pick<StatusEntries, 'get' | 'among'>;
  /** The DIDs of this service. */
  readonly ownDids: readonly string[];
  /** The public URL of the service. */
  readonly base: () => string;
}

/** What it takes to find one entry. */
export type EntryPorts = Pick<StatusPorts, 'statusLists' | 'base'> & {
  readonly statusEntries: Pick<StatusEntries, 'get' | 'among'>;
};

export interface Standing {
  readonly revoked: boolean;
  readonly suspended: boolean;
}

export interface StandingOfCredential extends Standing {
  readonly credentialId: string;
  readonly entries: readonly (CredentialStatus & { readonly status: boolean })[];
}

const unsignedInteger = /^(?:0|[1-9]\d{0,8})$/;

/** Whether credentials are revoked or suspended, by id. Those without entries here are absent. */
export async function standings(
  statusEntries: Pick<StatusEntries, 'among'>,
  credentialIds: readonly string[],
): Promise<Map<string, Standing>> {
  const found = await statusEntries.among('byCredential', credentialIds.map(credentialKey), purposes.length);
  const known = found.map((entries, at) => [credentialIds[at] ?? '', entries] as const);
  return new Map(
    known.flatMap(([id, entries]) => (entries.length === 0 ? [] : [[id, standingOf(entries)] as const])),
  );
}

export function standingOf(entries: readonly StatusEntry[]): Standing {
  const isSet = (wanted: string) => entries.some(({ purpose, status }) => purpose === wanted && status);
  return { revoked: isSet('revocation'), suspended: isSet('suspension') };
}

/** The status of a credential with its entries. @throws ServiceError `not_found`. */
export async function statusOf(ports: StatusPorts, credentialId: string): Promise<StandingOfCredential> {
  // What this service has issued comes first: others can allocate its id.
  const issued = ports.ownDids.map((did) => issuedKey(did, credentialId));
  return await statusUnder(ports, [...issued, credentialKey(credentialId)]);
}

/** As `statusOf`, by the key of its entries: the first that has any. */
export async function statusUnder(
  ports: Omit<StatusPorts, 'ownDids'>,
  keys: readonly string[],
): Promise<StandingOfCredential> {
  const found = await ports.statusEntries.among('byCredential', keys, purposes.length);
  const entries = found.find(({ length }) => length > 0) ?? [];
  const credentialId = idInKey(String(entries[0]?.credentialId ?? keys.at(-1)));
  if (entries.length === 0)
    throw new ServiceError('not_found', `The credential ${credentialId} has no status entries here.`);
  const both = bothEntries(entries);
  const written = await inCredentials(ports.statusLists, both);
  return {
    credentialId,
    ...standingOf(entries),
    entries: written.map((entry, at) => ({ ...entry, status: both[at]?.status ?? false })),
  };
}

/**
 * A list of this service; undefined if the URL is of another one.
 * A list is known by the id in its path. Its URL starts with the public URL of today, or with that of its creation.
 */
export async function listAt(
  { statusLists, base }: Pick<EntryPorts, 'statusLists' | 'base'>,
  url: string,
): Promise<StatusList | undefined> {
  const named = parseStatusListUrl(url);
  const list = named && (await statusLists.get(named.id));
  return list && (named.base === list.base || named.base === base()) ? list : undefined;
}

/** The allocated entry at an index of a list; undefined if there is none. */
export async function entryIn(
  { statusEntries }: Pick<EntryPorts, 'statusEntries'>,
  { id: listId, revocations }: StatusList,
  statusListIndex: string,
): Promise<StatusEntry | undefined> {
  if (!unsignedInteger.test(statusListIndex)) return undefined;
  const index = Number(statusListIndex);
  const id = entryId(listId, index);
  const entry = await statusEntries.get(id);
  if (entry || revocations === undefined) return entry;
  const revocation = await statusEntries.get(entryId(revocations, index));
  if (!revocation) return undefined;
  const [stored = []] = await statusEntries.among('byCredential', [revocation.credentialId], purposes.length);
  return bothEntries(stored).find((one) => one.id === id);
}

/** As `entryIn`, for the URL of a list. */
export async function entryAt(
  ports: EntryPorts,
  statusListCredential: string,
  statusListIndex: string,
): Promise<StatusEntry | undefined> {
  const list = await listAt(ports, statusListCredential);
  return list && (await entryIn(ports, list, statusListIndex));
}
