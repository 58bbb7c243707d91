import { describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { defaultRunTimeLimits } from '../../src/domain/integrity/dynamic-config.ts';
import { limitsOf } from './nouns.ts';

/** What the domain does with run-time limits, in every store. @param open gives a new, empty one. */
export function runTimeLimitStoreContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('run-time limits', () => {
    test('are undefined until one is changed, then the latest', async () => {
      await using store = await open();
      const limits = limitsOf(store);
      expect(await limits.read()).toBeUndefined();
      const write = { blobStoreWriteConcurrency: 7 };
      expect(await limits.change(write)).toEqual({ ...defaultRunTimeLimits, ...write });
      for (const blobStoreFetchConcurrency of [1, 4_096]) {
        await limits.change({ blobStoreFetchConcurrency });
        expect(await limits.read()).toEqual({ blobStoreFetchConcurrency, blobStoreWriteConcurrency: 7 });
      }
    });

    test('keep two concurrent changes', async () => {
      await using store = await open();
      const limits = limitsOf(store);
      await Promise.all([
        limits.change({ blobStoreFetchConcurrency: 3 }),
        limits.change({ blobStoreWriteConcurrency: 4 }),
      ]);
      expect(await limits.read()).toEqual({ blobStoreFetchConcurrency: 3, blobStoreWriteConcurrency: 4 });
    });
  });
}
