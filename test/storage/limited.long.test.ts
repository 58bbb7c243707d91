import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { followRunTimeLimits } from '../../src/composition/run-time-limits.ts';
import { limitedBlobs } from '../../src/domain/integrity/blobs/blob-store.ts';
import {
  defaultRunTimeLimits,
  runTimeLimits,
  type StoredLimits,
} from '../../src/domain/integrity/dynamic-config.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { BlobStore } from '../../src/domain/integrity/ports.ts';
import { Semaphore } from '../../src/domain/semaphore.ts';
import type { PlannedStore } from '../../src/storage/store.ts';
import { blobStoreContract } from '../contract/blob-store.ts';
import { openTemporary } from './temporary-folder.ts';

const tooMuch = { code: 'unavailable', retryAfter: 1 };

describe('a blob store under limits', () => {
  blobStoreContract(async () => {
    const store = await openTemporary();
    const gates = {
      fetch: new Semaphore(2, { waitMs: 60_000 }),
      write: new Semaphore(60, { waitMs: 60_000 }),
    };
    return {
      blobs: limitedBlobs(store.blobs, gates),
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  });

  const bytes = randomBytes(2 << 20);
  const cid = cidOf(codecs.raw, bytes);
  let store: PlannedStore;
  let blobs: BlobStore;

  beforeEach(async () => {
    store = await openTemporary();
    blobs = limitedBlobs(store.blobs, {
      fetch: new Semaphore(1, { waitMs: 0 }),
      write: new Semaphore(1, { waitMs: 0 }),
    });
    const blob = await blobs.stage();
    await blob.write(bytes);
    await blob.commit(cid);
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
  });

  test('holds no permit for a write while nothing arrives', async () => {
    for (const end of ['commit', 'discard'] as const) {
      const silent = await blobs.stage();
      const other = await blobs.stage();
      await silent.write(bytes);
      await other.write(bytes);
      await other.discard();
      await silent.finish();
      await silent[end](cid);
    }
  });

  test('holds no permit for a read while nobody takes its bytes', async () => {
    const read = async () => (await blobs.read(cid)) ?? expect.fail();
    await using silent = await read();
    const bytesOfSilent = silent.bytes[Symbol.asyncIterator]();
    await bytesOfSilent.next();
    expect(Buffer.concat(await Array.fromAsync((await read()).bytes))).toEqual(bytes);
    expect((await bytesOfSilent.next()).done).toBe(false);
  });

  test('holds a permit while the store works', async () => {
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const slow = async <Result>(result: Result) => {
      begun.resolve();
      await end.promise;
      return result;
    };
    const gates = { fetch: new Semaphore(1, { waitMs: 0 }), write: new Semaphore(1, { waitMs: 0 }) };
    const staged = await blobs.stage();
    const limited = limitedBlobs(
      { ...blobs, stage: async () => ({ ...staged, write: () => slow(undefined) }) },
      gates,
    );
    const blob = await limited.stage();
    const written = blob.write(bytes);
    await begun.promise;
    await expect(limited.stage()).rejects.toMatchObject(tooMuch);
    end.resolve();
    await written;
    await (await limited.stage()).discard();
  });

  test('returns permits when the store fails', async () => {
    const failing: BlobStore = {
      stage: () => Promise.reject(new Error('stage')),
      size: async () => 1,
      readSmall: async () => [],
      putSmall: async () => [],
      read: async () => ({
        size: 1,
        // biome-ignore lint/correctness/useYield: it fails before its first byte
        bytes: (async function* () {
          throw new Error('bytes');
        })(),
        async [Symbol.asyncDispose]() {},
      }),
    };
    const limited = limitedBlobs(failing, {
      fetch: new Semaphore(1, { waitMs: 0 }),
      write: new Semaphore(1, { waitMs: 0 }),
    });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(limited.stage()).rejects.toThrow('stage');
      const content = await limited.read(cid);
      await expect(Array.fromAsync(content?.bytes ?? [])).rejects.toThrow('bytes');
    }
  });

  test('starts with the stored limits or the defaults, and stores changes', async () => {
    const limits = { blobStoreFetchConcurrency: 1, blobStoreWriteConcurrency: 1 };
    await using first = await followRunTimeLimits(store.of(runTimeLimits), 0);
    expect(first.current()).toEqual(defaultRunTimeLimits);
    await first.change(limits);
    await using again = await followRunTimeLimits(store.of(runTimeLimits), 0);
    for (const followed of [first, again]) {
      expect(followed.current()).toEqual(limits);
      for (const caller of [undefined, 'caller']) {
        const uploads = limitedBlobs(store.blobs, followed.blobs, caller);
        await followed.blobs.write.run(() => expect(uploads.stage()).rejects.toMatchObject(tooMuch));
      }
    }
  });

  test('follows changes of other processes, and changes only the given limits', async () => {
    await using one = await followRunTimeLimits(store.of(runTimeLimits), 0);
    await using other = await followRunTimeLimits(store.of(runTimeLimits), 0);
    await one.change({ blobStoreFetchConcurrency: 5 });
    await other.change({ blobStoreWriteConcurrency: 1 });
    const expected = { blobStoreFetchConcurrency: 5, blobStoreWriteConcurrency: 1 };
    await vi.waitFor(() => expect(one.current()).toEqual(expected), 5_000);
    const uploads = limitedBlobs(store.blobs, one.blobs);
    await one.blobs.write.run(() => expect(uploads.stage()).rejects.toMatchObject(tooMuch));
    expect(other.current()).toEqual(expected);
  });

  test('keeps its limits while the store fails, and follows changes again afterwards', async () => {
    let isFailing = false;
    let kept = { blobStoreFetchConcurrency: 2, blobStoreWriteConcurrency: 3 };
    const answer = async <Result>(result: Result) => {
      if (isFailing) throw new Error('gone');
      return result;
    };
    const unsteady: StoredLimits = {
      ...store.of(runTimeLimits),
      get: () => answer({ name: 'limits', ...kept }),
      insert: () => answer([false]),
      update: () => answer(undefined),
    };
    await using limits = await followRunTimeLimits(unsteady, 0);
    isFailing = true;
    await expect(limits.change({ blobStoreWriteConcurrency: 1 })).rejects.toThrow('gone');
    expect(limits.current()).toEqual(kept);
    kept = { blobStoreFetchConcurrency: 9, blobStoreWriteConcurrency: 8 };
    isFailing = false;
    await vi.waitFor(() => expect(limits.current()).toEqual(kept), 5_000);
  });
});
