import type { OpenLists } from './open-lists.ts';
import {
  bothEntries,
  listLength,
  type Purpose,
  purposes,
  type StatusEntries,
  type StatusEntry,
  type StatusLists,
  statusListUrl,
  unsetEntry,
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
  readonly openLists: Pick<OpenLists, 'take' | 'addSuspensions'>;
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
  const stored = new Map<string, readonly StatusEntry[]>();
  const distinct = [...new Set(credentialIds)];
  for (let missing = distinct; missing.length > 0; missing = missing.filter((id) => !stored.has(id))) {
    const added = await newEntries(ports, missing);
    const isNew = await ports.statusEntries.insert(added);
    for (const [at, entry] of added.entries()) if (isNew[at]) stored.set(entry.credentialId, [entry]);
    // A credential that has its entries keeps them. Taken indexes are drawn again in the next round.
    const refused = missing.filter((_, at) => !isNew[at]);
    const found = await ports.statusEntries.among('byCredential', refused, purposes.length);
    for (const [at, entries] of found.entries()) {
      if (entries.length > 0) stored.set(String(refused[at]), entries);
      // Those of an earlier version that was interrupted may be of a list without suspensions.
      const list = entries.length === 1 && (await ports.statusLists.get(entries[0]?.listId ?? ''));
      if (list) await ports.openLists.addSuspensions(list);
    }
  }
  const named = credentialIds.flatMap((id) => bothEntries(stored.get(id) ?? []));
  const written = await inCredentials(ports.statusLists, named);
  const each = purposes.length;
  return credentialIds.map((_, at) => written.slice(at * each, (at + 1) * each) as unknown as StatusPair);
}

async function newEntries(
  { openLists, drawIndex }: Pick<AllocationPorts, 'openLists' | 'drawIndex'>,
  missing: readonly string[],
): Promise<StatusEntry[]> {
  const lists = await openLists.take(missing.length);
  return missing.map((credentialId, at) => {
    const listId = lists[at]?.id ?? '';
    return unsetEntry({ listId, index: drawIndex(), credentialId, purpose: 'revocation' });
  });
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
