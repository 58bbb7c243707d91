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
  return pair as StatusPair;
}

/** As `allocateStatus`, for several credentials. */
export async function allocateStatuses(
  ports: AllocationPorts,
  credentialIds: readonly string[],
): Promise<StatusPair[]> {
  const wanted = [...new Set(credentialIds)].flatMap((credentialId) =>
    purposes.map((purpose) => ({ credentialId, purpose })),
  );
  const entries = new Map<string, StatusEntry>();
  for (
    let missing = wanted;
    missing.length > 0;
    missing = missing.filter((one) => !entries.has(nameOf(one)))
  ) {
    const added = await newEntries(ports, missing);
    const isNew = await ports.statusEntries.insert(added);
    for (const [at, entry] of added.entries()) if (isNew[at]) entries.set(nameOf(entry), entry);
    // A credential that has its entries keeps them. Taken indexes are drawn again in the next round.
    const refused = added.filter((_, at) => !isNew[at]).map(({ credentialId }) => credentialId);
    const found = await ports.statusEntries.among('byCredential', refused, purposes.length);
    for (const entry of found.flat()) entries.set(nameOf(entry), entry);
  }
  const named = credentialIds.flatMap((credentialId) =>
    purposes.map((purpose) => entries.get(nameOf({ credentialId, purpose })) as StatusEntry),
  );
  const written = await inCredentials(ports.statusLists, named);
  const each = purposes.length;
  return credentialIds.map((_, at) => written.slice(at * each, (at + 1) * each) as unknown as StatusPair);
}

function nameOf({ credentialId, purpose }: Pick<StatusEntry, 'credentialId' | 'purpose'>): string {
  return `${purpose} ${credentialId}`;
}

async function newEntries(
  { openLists, drawIndex }: Pick<AllocationPorts, 'openLists' | 'drawIndex'>,
  missing: readonly Pick<StatusEntry, 'credentialId' | 'purpose'>[],
): Promise<StatusEntry[]> {
  const groups = Map.groupBy(missing, ({ purpose }) => purpose);
  const made = [...groups].map(async ([purpose, ofPurpose]) => {
    const lists = await openLists.take(purpose, ofPurpose.length);
    return ofPurpose.map(({ credentialId }, at): StatusEntry => {
      const listId = lists[at]?.id ?? '';
      const index = drawIndex();
      const id = entryId(listId, index);
      return { id, listId, index, credentialId, purpose, status: false, changes: 0, isListed: true };
    });
  });
  return (await Promise.all(made)).flat();
}

const drawn = new Uint32Array(1_024);
let drawnLeft = 0;

/** Unbiased, because the length of a list is a power of two. Draws many at once, because each draw takes long. */
export function randomIndex(): number {
  if (drawnLeft === 0) {
    crypto.getRandomValues(drawn);
    drawnLeft = drawn.length;
  }
  drawnLeft -= 1;
  return (drawn[drawnLeft] ?? 0) % listLength;
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
