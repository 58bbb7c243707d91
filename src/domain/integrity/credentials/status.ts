import { ServiceError } from '../../errors.ts';
import { type CredentialStatus, inCredentials } from './allocate.ts';
import { credentialKey } from './credential-records.ts';
import {
  entryId,
  purposes,
  type StatusEntries,
  type StatusEntry,
  type StatusLists,
} from './status-entries.ts';
import { parseStatusListUrl } from './status-list-url.ts';

export interface StatusPorts {
  readonly statusLists: Pick<StatusLists, 'get'>;
  readonly statusEntries: Pick<StatusEntries, 'get' | 'among'>;
  /** The public URL of the service. */
  readonly base: () => string;
}

export interface Standing {
  readonly revoked: boolean;
  readonly suspended: boolean;
}

export interface StandingOfCredential extends Standing {
  readonly credentialId: string;
  readonly entries: readonly (CredentialStatus & { readonly status: boolean })[];
}

const unsignedInteger = /^(?:0|[1-9]\d{0,8})$/;

/** Whether a credential is revoked or suspended; undefined if it has no entries here. */
export async function standing(
  { statusEntries }: Pick<StatusPorts, 'statusEntries'>,
  credentialId: string,
): Promise<Standing | undefined> {
  return (await standings({ statusEntries }, [credentialId]))[0];
}

/** As `standing`, for several credentials. */
export async function standings(
  { statusEntries }: { readonly statusEntries: Pick<StatusEntries, 'among'> },
  credentialIds: readonly string[],
): Promise<(Standing | undefined)[]> {
  const found = await statusEntries.among('byCredential', credentialIds.map(credentialKey), purposes.length);
  return found.map((entries) => (entries.length === 0 ? undefined : standingOf(entries)));
}

/** As `standings`, by id, without credentials that have no entries here. */
export async function standingsById(
  statusEntries: Pick<StatusEntries, 'among'>,
  credentialIds: readonly string[],
): Promise<Map<string, Standing>> {
  const found = await standings({ statusEntries }, credentialIds);
  return new Map(credentialIds.flatMap((id, at) => (found[at] ? [[id, found[at]] as const] : [])));
}

function standingOf(entries: readonly StatusEntry[]): Standing {
  const isSet = (wanted: string) => entries.some(({ purpose, status }) => purpose === wanted && status);
  return { revoked: isSet('revocation'), suspended: isSet('suspension') };
}

/** The status of a credential with its entries. @throws ServiceError `not_found`. */
export async function statusOf(ports: StatusPorts, credentialId: string): Promise<StandingOfCredential> {
  const key = credentialKey(credentialId);
  const [entries = []] = await ports.statusEntries.among('byCredential', [key], purposes.length);
  if (entries.length === 0)
    throw new ServiceError('not_found', `The credential ${credentialId} has no status entries here.`);
  const inOrder = entries.toSorted((one, other) => (one.purpose < other.purpose ? -1 : 1));
  const written = await inCredentials(ports.statusLists, inOrder);
  return {
    credentialId: key,
    ...standingOf(entries),
    entries: written.map((entry, at) => ({ ...entry, status: inOrder[at]?.status ?? false })),
  };
}

/**
 * The allocated entry at an index of a list; undefined if there is none.
 * A list is known by the id in its path. Its URL starts with the public URL of today, or with that of its creation.
 */
export async function entryAt(
  {
    statusLists,
    statusEntries,
    base,
  }: Pick<StatusPorts, 'statusLists' | 'base'> & {
    readonly statusEntries: Pick<StatusEntries, 'get'>;
  },
  statusListCredential: string,
  statusListIndex: string,
): Promise<StatusEntry | undefined> {
  const named = parseStatusListUrl(statusListCredential);
  if (!named || !unsignedInteger.test(statusListIndex)) return undefined;
  const list = await statusLists.get(named.id);
  if (!list || (named.base !== list.base && named.base !== base())) return undefined;
  return await statusEntries.get(entryId(list.id, Number(statusListIndex)));
}
