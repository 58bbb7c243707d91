import type { OpenLists } from './open-lists.ts';
import {
  entryId,
  listLength,
  type Purpose,
  purposes,
  type StatusEntries,
  type StatusEntry,
  type StatusLists,
} from './status-entries.ts';
import { statusListUrl } from './status-list-url.ts';

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
  for (;;) {
    const found = await ports.statusEntries.among('byCredential', credentialIds, purposes.length);
    const entries = new Map(found.flat().map((entry) => [nameOf(entry), entry]));
    const missing = wanted.filter((one) => !entries.has(nameOf(one)));
    if (missing.length === 0) {
      const [revocations, suspensions] = await Promise.all(
        purposes.map((purpose) =>
          inCredentials(
            ports.statusLists,
            credentialIds.map(
              (credentialId) => entries.get(nameOf({ credentialId, purpose })) as StatusEntry,
            ),
          ),
        ),
      );
      return credentialIds.map((_, at) => [revocations?.[at], suspensions?.[at]] as unknown as StatusPair);
    }
    // Taken indexes stay missing and are drawn again in the next round.
    await ports.statusEntries.insert(await Promise.all(missing.map((one) => newEntry(ports, one))));
  }
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
