import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SpoolStore } from '../../src/domain/integrity/manifest/ports.ts';
import { runs } from '../property-runs.ts';

interface Stores extends AsyncDisposable {
  readonly spools: SpoolStore;
}

/** What every SpoolStore does. */
export function spoolStoreContract(open: () => Promise<Stores>): void {
  describe('a spool store', () => {
    let stores: Stores;

    beforeAll(async () => {
      stores = await open();
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    test('reads any part of what was written so far', async () => {
      const chunks = fc.array(fc.oneof(fc.nat({ max: 200 }), fc.integer({ min: 1 << 19, max: 3 << 20 })), {
        maxLength: 6,
      });
      await fc.assert(
        fc.asyncProperty(
          chunks,
          fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
          async (sizes, places) => {
            await using spool = await stores.spools.open();
            let written = Buffer.alloc(0);
            for (const size of sizes) {
              const chunk = randomBytes(size);
              written = Buffer.concat([written, chunk]);
              await spool.write(chunk);
              expect(spool.size).toBe(written.length);
              const offset = Math.floor(Number(places.next().value) * (written.length + 10));
              const length = Math.floor(Number(places.next().value) * (written.length + 10));
              const read = await spool.read(offset, length);
              expect(written.subarray(offset, offset + length).equals(read)).toBe(true);
            }
          },
        ),
        { numRuns: runs(20) },
      );
    });

    test('keeps written bytes although the caller reuses the memory', async () => {
      await using spool = await stores.spools.open();
      const chunk = randomBytes(100);
      const before = Buffer.from(chunk);
      await spool.write(chunk);
      chunk.fill(0);
      expect(before.equals(await spool.read(0, 100))).toBe(true);
    });
  });
}
