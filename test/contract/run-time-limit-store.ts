import { describe, expect, test } from 'vitest';
import type { RunTimeLimitStore } from '../../src/domain/integrity/ports.ts';

interface Stores extends AsyncDisposable {
  readonly runTimeLimits: RunTimeLimitStore;
}

/** What every RunTimeLimitStore does. @param open gives a new, empty one. */
export function runTimeLimitStoreContract(open: () => Promise<Stores>): void {
  describe('a store of run-time limits', () => {
    test('has none until they are written, then the last ones', async () => {
      await using stores = await open();
      const { runTimeLimits } = stores;
      expect(await runTimeLimits.read()).toBeUndefined();
      for (const blobStoreFetchConcurrency of [1, 4_096]) {
        const limits = { blobStoreFetchConcurrency, blobStoreWriteConcurrency: 7 };
        await runTimeLimits.write(limits);
        expect(await runTimeLimits.read()).toEqual(limits);
      }
    });
  });
}
