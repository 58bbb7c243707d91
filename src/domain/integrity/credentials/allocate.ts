import type { OpenLists } from './open-lists.ts';
import {
  entryId,
  listLength,
  type Purpose,
  purposes,
  type StatusEntries,
  type StatusEntry,
  type StatusLists,
  statusListUrl,
} from './status-entries.ts';

/** An entry as it stands in `credentialStatus` (Bitstring Status List 1.0, section 2.1). */
export interface CredentialStatus {
  readonly id: string;
  readonly type: 'BitstringStatusListEntry';
  readonly statusPurpose: Purpose;
  readonly statusListIndex: string;
  readonly statusListCredential: string;
}

export type StatusPair = readonly [revocation: CredentialStatus, suspension: CredentialStatus];

export interface AllocationPorts {
  readonly statusLists: Pick<StatusLists, 'get'>;
  readonly statusEntries: Pick<StatusEntries, 'among' | 'insert'>;
  readonly openLists: Pick<OpenLists, 'take'>;
  /** `randomIndex`, unless a test chooses. */
  readonly drawIndex: () => number;
}

/**
 * The revocation and the suspension entry of a credential. They are allocated once.
 * @param credentialId as `credentialKey` writes it.
 */
export async function allocateStatus(ports: AllocationPorts, credentialId: string): Promise<StatusPair> {
  const [pair] = await allocateStatuses(ports, [credentialId]);
  return pair as unknown as StatusPair;
}

/** As `allocateStatus`, for several credentials and some purposes. */
export async function allocateStatuses(
  ports: AllocationPorts,
  credentialIds: readonly string[],
  wantedPurposes: readonly Purpose[] = purposes,
): Promise<CredentialStatus[][]> {
  const wanted = [...new Set(credentialIds)].flatMap((credentialId) =>
    wantedPurposes.map((purpose) => ({ credentialId, purpose })),
  );
  const entries = new Map<string, StatusEntry>();
  for (
    let missing = wanted;
    missing.length > 0;
    missing = missing.filter((one) => !entries.has(nameOf(one)))
  ) {
    const added = await Promise.all(missing.map((one) => newEntry(ports, one)));
    const isNew = await ports.statusEntries.insert(added);
    for (const [at, entry] of added.entries()) if (isNew[at]) entries.set(nameOf(entry), entry);
    // A credential that has its entries keeps them. Taken indexes are drawn again in the next round.
    const refused = added.filter((_, at) => !isNew[at]).map(({ credentialId }) => credentialId);
    const found = await ports.statusEntries.among('byCredential', refused, purposes.length);
    for (const entry of found.flat()) entries.set(nameOf(entry), entry);
  }
  const named = credentialIds.flatMap((credentialId) =>
    wantedPurposes.map((purpose) => entries.get(nameOf({ credentialId, purpose })) as StatusEntry),
  );
  const written = await inCredentials(ports.statusLists, named);
  const count = wantedPurposes.length;
  return credentialIds.map((_, at) => written.slice(at * count, (at + 1) * count));
}

function nameOf({ credentialId, purpose }: Pick<StatusEntry, 'credentialId' | 'purpose'>): string {
  return `${purpose} ${credentialId}`;
}

async function newEntry(
  { openLists, drawIndex }: Pick<AllocationPorts, 'openLists' | 'drawIndex'>,
  { credentialId, purpose }: Pick<StatusEntry, 'credentialId' | 'purpose'>,
): Promise<StatusEntry> {
  const { id: listId } = await openLists.take(purpose);
  const index = drawIndex();
  const id = entryId(listId, index);
  return { id, listId, index, credentialId, purpose, status: false, changes: 0, isListed: true };
}

/** Unbiased, because the length of a list is a power of two. */
export function randomIndex(): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return random % listLength;
}

/** Entries as they stand in `credentialStatus`. */
export async function inCredentials(
  statusLists: Pick<StatusLists, 'get'>,
  entries: readonly StatusEntry[],
): Promise<CredentialStatus[]> {
  const ids = [...new Set(entries.map(({ listId }) => listId))];
  const lists = new Map(await Promise.all(ids.map(async (id) => [id, await statusLists.get(id)] as const)));
  return entries.map(({ listId, index, purpose }) => {
    const list = lists.get(listId);
    if (!list) throw new Error(`The record of the status list ${listId} is missing. Run cairn fsck.`);
    const url = statusListUrl(list);
    return {
      id: `${url}#${index}`,
      type: 'BitstringStatusListEntry',
      statusPurpose: purpose,
      statusListIndex: String(index),
      statusListCredential: url,
    };
  });
}
