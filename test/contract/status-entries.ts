import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { eachRecord } from '../../src/domain/collections/records.ts';
import {
  allocateStatus,
  allocateStatuses,
  randomIndex,
} from '../../src/domain/integrity/credentials/allocate.ts';
import { OpenLists } from '../../src/domain/integrity/credentials/open-lists.ts';
import { revokeCredential } from '../../src/domain/integrity/credentials/revoke.ts';
import { entryAt, statusUnder } from '../../src/domain/integrity/credentials/status.ts';
import {
  listLength,
  parseStatusListUrl,
  statusEntries,
  statusLists,
} from '../../src/domain/integrity/credentials/status-entries.ts';

const base = 'https://cairn.example';

/** What one process allocates with. @param drawIndex few indexes make processes draw the same ones. */
export function allocating(store: RecordStore, drawIndex = randomIndex, publicUrl = base) {
  const lists = store.of(statusLists);
  return {
    statusLists: lists,
    statusEntries: store.of(statusEntries),
    openLists: new OpenLists({
      statusLists: lists,
      base: () => publicUrl,
      now: () => new Date(1),
      newId: () => randomUUID(),
    }),
    drawIndex,
  };
}

/** What revokes a credential, whose text does not matter. */
function revoking(store: RecordStore, credentialId: string) {
  return {
    ...allocating(store),
    base: () => base,
    credentials: {
      get: async () => ({ id: credentialId, givenCid: '', text: '{}', sourceCid: null, createdAt: 1 }),
    },
    issuedCredential: async () => undefined,
    requestStatusList: async () => undefined,
  };
}

export function newCredentialId(): string {
  return `urn:uuid:${randomUUID()}`;
}

/** The allocation of status entries, in every store. */
export function statusEntriesContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('status entries', () => {
    let store: RecordStore & AsyncDisposable;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    test('a credential gets a revocation and a suspension entry in lists of their own', async () => {
      const [revocation, suspension] = await allocateStatus(allocating(store), newCredentialId());
      expect(revocation).toEqual({
        id: `${revocation.statusListCredential}#${revocation.statusListIndex}`,
        type: 'BitstringStatusListEntry',
        statusPurpose: 'revocation',
        statusListIndex: expect.stringMatching(/^\d+$/),
        statusListCredential: expect.stringMatching(
          /^https:\/\/cairn\.example\/credentials\/v1\/status-lists\//,
        ),
      });
      expect(suspension.statusPurpose).toBe('suspension');
      expect(suspension.statusListCredential).not.toBe(revocation.statusListCredential);
    });

    test('an entry for suspension has a record when it is first set, and its list has no other entries', async () => {
      const credentialId = newCredentialId();
      const ports = { ...allocating(store), base: () => base };
      const [revocation, suspension] = await allocateStatus(ports, credentialId);
      expect(suspension.statusListIndex).toBe(revocation.statusListIndex);
      const { statusListCredential: url, statusListIndex: index } = suspension;
      const entry = await entryAt(ports, url, index);
      expect(entry).toMatchObject({ credentialId, purpose: 'suspension', status: false });
      expect(await ports.statusEntries.get(String(entry?.id))).toBeUndefined();
      const id = credentialId;
      const suspend = (status: boolean) =>
        revokeCredential(revoking(store, id), id, { ...suspension, status });
      await Promise.all([suspend(true), suspend(true), suspend(true)]);
      expect(await entryAt(ports, url, index)).toMatchObject({ status: true, changes: 1 });
      const other = String(1 - Math.sign(Number(index)));
      expect(await entryAt(ports, url, other)).toBeUndefined();
      await suspend(false);
      expect((await statusUnder(ports, [credentialId])).entries).toEqual([
        { ...revocation, status: false },
        { ...suspension, status: false },
      ]);
      expect(await allocateStatus(allocating(store), credentialId)).toEqual([revocation, suspension]);
    });

    test('entries of earlier versions, with an index each, stay as they are', async () => {
      const publicUrl = `${base}/${randomUUID()}`;
      const credentialId = newCredentialId();
      const [revocations, suspensions] = [randomUUID(), randomUUID()];
      const earlier = { base: publicUrl, number: 0, reserved: 64, createdAt: 1 };
      await store.of(statusLists).insert([
        { id: revocations, purpose: 'revocation', ...earlier },
        { id: suspensions, purpose: 'suspension', ...earlier },
      ]);
      const unset = { credentialId, status: false, changes: 0, isListed: true };
      const [one, other] = [
        { ...unset, id: `${revocations}/5`, listId: revocations, index: 5, purpose: 'revocation' as const },
        { ...unset, id: `${suspensions}/9`, listId: suspensions, index: 9, purpose: 'suspension' as const },
      ];
      await store.of(statusEntries).insert([one, other]);
      const ports = { ...allocating(store, () => 7, publicUrl), base: () => publicUrl };
      const [, added] = await allocateStatuses(ports, [credentialId, newCredentialId()]);
      const { entries } = await statusUnder(ports, [credentialId]);
      expect(entries.map(({ statusListIndex }) => statusListIndex)).toEqual(['5', '9']);
      // The older list has taken the new entry, and has a second suspension list now.
      expect(added?.[0].statusListCredential).toContain(revocations);
      const url = String(added?.[1].statusListCredential);
      expect(url).not.toContain(suspensions);
      expect(await entryAt(ports, url, '7')).toMatchObject({ purpose: 'suspension' });
      expect(await entryAt(ports, url, '5')).toBeUndefined();
      // Processes of the earlier version pass over it.
      const [newest] = await Array.fromAsync(
        eachRecord(store.of(statusLists), 'newest', ['suspension', publicUrl]),
      );
      expect(newest?.reserved).toBe(listLength);
    });

    test('an allocation that an earlier version left half done is finished', async () => {
      const publicUrl = `${base}/${randomUUID()}`;
      const [listId, credentialId] = [randomUUID(), newCredentialId()];
      const list = { id: listId, purpose: 'revocation' as const, base: publicUrl, number: 0, createdAt: 1 };
      await store.of(statusLists).insert([
        { ...list, reserved: listLength },
        { ...list, id: randomUUID(), number: 1, reserved: 0 },
      ]);
      const entry = { listId, index: 3, credentialId, status: false, changes: 0, isListed: true };
      await store.of(statusEntries).insert([{ ...entry, id: `${listId}/3`, purpose: 'revocation' }]);
      const [revocation, suspension] = await allocateStatus(
        allocating(store, randomIndex, publicUrl),
        credentialId,
      );
      expect([revocation.statusListIndex, suspension.statusListIndex]).toEqual(['3', '3']);
    });

    test('asking again gives the same entries, also in another process and beside new ones', async () => {
      const [one, other] = [newCredentialId(), newCredentialId()];
      const first = await allocateStatus(allocating(store), one);
      const [again, added] = await allocateStatuses(allocating(store), [one, other]);
      expect(again).toEqual(first);
      expect(added).not.toEqual(first);
      expect(await allocateStatuses(allocating(store), [])).toEqual([]);
    });

    test('a taken index is drawn again', async () => {
      const publicUrl = `${base}/${randomUUID()}`;
      let draws = 0;
      const ports = allocating(store, () => Math.floor(draws++ / 4), publicUrl);
      const pairs = [];
      for (let at = 0; at < 20; at += 1) pairs.push(await allocateStatus(ports, newCredentialId()));
      for (const purpose of [0, 1] as const) {
        const indexes = pairs.map((pair) => pair[purpose].statusListIndex);
        expect(new Set(indexes).size).toBe(20);
      }
    });

    test('a list that is half full is followed by a new one', async () => {
      const publicUrl = `${base}/${randomUUID()}`;
      const listOf = async () => {
        const [{ statusListCredential }] = await allocateStatus(
          allocating(store, randomIndex, publicUrl),
          newCredentialId(),
        );
        return String(parseStatusListUrl(statusListCredential)?.id);
      };
      const first = await listOf();
      expect(await listOf()).toBe(first);
      await store.of(statusLists).update(first, {}, { reserved: listLength / 2 });
      const second = await listOf();
      expect(second).not.toBe(first);
      expect(await listOf()).toBe(second);
    });

    test('many credentials are allocated at once, with few changes of the list', async () => {
      const publicUrl = `${base}/${randomUUID()}`;
      const ports = allocating(store, randomIndex, publicUrl);
      let changes = 0;
      const counted: typeof ports.statusLists = {
        ...ports.statusLists,
        update: async (...change) => {
          changes += 1;
          return await ports.statusLists.update(...change);
        },
      };
      const openLists = new OpenLists({
        statusLists: counted,
        base: () => publicUrl,
        now: () => new Date(1),
        newId: () => randomUUID(),
      });
      const ids = Array.from({ length: 1_000 }, newCredentialId);
      const pairs = await allocateStatuses({ ...ports, openLists }, ids);
      expectAllDifferent(pairs.flat());
      expect(changes).toBeLessThan(10);
    });

    test('50 parallel allocations of three openers take no index twice, even if they draw the same ones', async () => {
      const publicUrl = `${base}/${randomUUID()}`;
      const openers = [0, 1, 2].map(() => allocating(store, () => randomIndex() % 64, publicUrl));
      const ids = Array.from({ length: 50 }, newCredentialId);
      const pairs = await Promise.all(ids.map((id, at) => allocateStatus(openers[at % 3] as never, id)));
      expectAllDifferent(pairs.flat());
      const listed = await Array.fromAsync(
        eachRecord(store.of(statusLists), 'newest', ['revocation', publicUrl]),
      );
      expect(listed).toHaveLength(1);
    });
  });
}

export function expectAllDifferent(entries: readonly { readonly id: string }[]): void {
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
}
