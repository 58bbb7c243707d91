import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { allocateStatus } from '../../src/domain/integrity/credentials/allocate.ts';
import { Bitstring } from '../../src/domain/integrity/credentials/bitstring.ts';
import { credentials } from '../../src/domain/integrity/credentials/credential-records.ts';
import { revokeCredential } from '../../src/domain/integrity/credentials/revoke.ts';
import {
  isListed,
  setIndexes,
  signedStatusList,
} from '../../src/domain/integrity/credentials/signed-list.ts';
import { signedStatusLists } from '../../src/domain/integrity/credentials/status-entries.ts';
import { requestStatusList } from '../../src/domain/integrity/credentials/status-list-job.ts';
import { claimJob, finishJob } from '../../src/domain/jobs/job-records.ts';
import { jobs } from '../../src/domain/jobs/jobs.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { allocating, newCredentialId } from './status-entries.ts';

const openers = 3;
const rounds = 12;
const signing = { identifier: canonicalizer(), signer: signerWith(newKey()), now: () => new Date() };

/** Signed lists while several processes change their entries, in every store. */
export function signedListsContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('signed status lists', () => {
    let store: RecordStore & AsyncDisposable;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const ports = () => ({
      ...allocating(store),
      ...signing,
      credentials: store.of(credentials),
      signedStatusLists: store.of(signedStatusLists),
      base: () => 'https://cairn.example',
      issuedCredential: async () => undefined,
      requestStatusList: async () => undefined,
    });

    async function newEntry() {
      const id = newCredentialId();
      await store.of(credentials).insert([{ id, givenCid: id, text: '{}', sourceCid: null, createdAt: 1 }]);
      const [, suspension] = await allocateStatus(ports(), id);
      return { id, suspension };
    }

    async function bitsOf(listId: string): Promise<Bitstring> {
      const { text } = await signedStatusList(ports(), listId);
      return await Bitstring.decode(JSON.parse(text).credentialSubject.encodedList);
    }

    test('show every change at once, whatever else changes and is read at the same time', async () => {
      let listId = '';
      const change = async () => {
        const { id, suspension } = await newEntry();
        listId = String(suspension.statusListCredential.split('/').at(-1));
        for (let round = 0; round < rounds; round += 1) {
          const status = round % 2 === 0;
          await revokeCredential(ports(), id, { ...suspension, status });
          expect((await bitsOf(listId)).get(Number(suspension.statusListIndex))).toBe(status);
        }
        await revokeCredential(ports(), id, { ...suspension, status: true });
      };
      await Promise.all(Array.from({ length: openers }, change));
      const shown = new Set((await bitsOf(listId)).indexes());
      expect(shown).toEqual(await setIndexes(ports().statusEntries, listId));
      expect(shown.size).toBe(openers);
      expect(await isListed(ports(), listId)).toBe(true);
    });

    test('show a change that another process signs between the reads of a request', async () => {
      const { id, suspension } = await newEntry();
      const listId = String(suspension.statusListCredential.split('/').at(-1));
      await signedStatusList(ports(), listId);
      await revokeCredential(ports(), id, { ...suspension, status: true });
      const { signedStatusLists: records, ...others } = ports();
      const get = async (key: string) => {
        const last = await records.get(key);
        await signedStatusList(ports(), listId);
        return last;
      };
      const { text } = await signedStatusList({ ...others, signedStatusLists: { ...records, get } }, listId);
      const bits = await Bitstring.decode(JSON.parse(text).credentialSubject.encodedList);
      expect(bits.get(Number(suspension.statusListIndex))).toBe(true);
    });

    test('are made from the entries when the last form is lost or damaged', async () => {
      const { id, suspension } = await newEntry();
      const listId = String(suspension.statusListCredential.split('/').at(-1));
      await revokeCredential(ports(), id, { ...suspension, status: true });
      const index = Number(suspension.statusListIndex);
      expect((await bitsOf(listId)).get(index)).toBe(true);
      await store.of(signedStatusLists).remove(listId);
      expect((await bitsOf(listId)).get(index)).toBe(true);
      await store.of(signedStatusLists).update(listId, {}, { text: '{}' });
      const other = await newEntry();
      await revokeCredential(ports(), other.id, { ...other.suspension, status: true });
      const bits = await bitsOf(listId);
      expect([bits.get(index), bits.get(Number(other.suspension.statusListIndex))]).toEqual([true, true]);
    });

    test('are asked for once, however many changes wait, and again after the job has ended', async () => {
      const [records, queued] = [store.of(jobs), [] as string[]];
      const queue = { enqueue: async ({ id }: { id: string }) => void queued.push(id) };
      const asking = { jobs: records, queue, now: signing.now };
      const listId = randomUUID();
      await Promise.all(Array.from({ length: 10 }, () => requestStatusList(asking, listId)));
      expect(queued).toEqual([listId]);
      const runner = 'a runner';
      expect(await claimJob(records, listId, { runner, now: 2, silentSince: 1 })).toBeDefined();
      const end = { finishedAt: 3, expiresAt: 4 };
      await finishJob(records, listId, { runner, outcome: { state: 'done', progress: null, ...end } });
      await requestStatusList(asking, listId);
      expect(queued).toEqual([listId, listId]);
      expect(await records.get(listId)).toMatchObject({ state: 'waiting', attempts: 0, expiresAt: null });
    });

    test('are asked for although the queue does not answer, because the job record is stored', async () => {
      const records = store.of(jobs);
      const queue = {
        enqueue: () => Promise.reject(new ServiceError('unavailable', 'Redis does not answer.')),
      };
      const listId = randomUUID();
      await requestStatusList({ jobs: records, queue, now: signing.now }, listId);
      expect((await records.get(listId))?.state).toBe('waiting');
    });

    test('stay the same while nothing changes', async () => {
      const { suspension } = await newEntry();
      const listId = String(suspension.statusListCredential.split('/').at(-1));
      const first = await signedStatusList(ports(), listId);
      expect(await signedStatusList(ports(), listId)).toEqual(first);
    });
  });
}
