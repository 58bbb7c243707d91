import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { formatCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import { keyTypes } from '../../src/domain/log/notes/vkey.ts';
import { type Publication, Publications } from '../../src/domain/log/publications.ts';
import {
  checkpointKey,
  headKey,
  type LogHead,
  logRecords,
  type PublishedCheckpoint,
} from '../../src/domain/log/records.ts';
import { freshSigner, signedBy } from '../builders/log-keys.ts';
import { runs } from '../property-runs.ts';

const origin = 'cairn.example/log/v1';
const root = Buffer.alloc(32).toString('base64');
const own = freshSigner(origin);
const witness = freshSigner('w1', keyTypes.ed25519Cosigner);

const growth = fc.record({
  log: fc.nat({ max: 2 }),
  by: fc.integer({ min: 1, max: 3 }),
  /** What is done when it has grown. */
  next: fc.constantFrom('nothing', 'publish', 'publish with a witness'),
});

/** Since when something is published, whatever the store. */
export function publicationsContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('the first checkpoint that covers an entry', () => {
    test('is found among any heads and checkpoints', async () => {
      await using store = await open();
      const records = logRecords(store);
      let serviceSize = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(growth, { minLength: 1, maxLength: 40 }), async (growths) => {
          const names = [randomUUID(), randomUUID(), randomUUID()];
          const heads: LogHead[] = [];
          const checkpoints: (PublishedCheckpoint & { readonly isWitnessed: boolean })[] = [];
          const publish = async (isWitnessed: boolean) => {
            const size = serviceSize;
            const text = formatCheckpoint({ origin, size, root: Buffer.alloc(32), extensions: [] });
            const note = await signedBy(text, isWitnessed ? [own, witness] : [own], size);
            checkpoints.push({ key: checkpointKey(size), size, root, note, at: size * 7, isWitnessed });
          };
          for (const { log, by, next } of growths) {
            const name = names[log] ?? '';
            const size = (heads.findLast((head) => head.log === name)?.size ?? 0) + by;
            heads.push({ key: headKey(serviceSize), serviceIndex: serviceSize, log: name, size, root });
            serviceSize += 1;
            if (next !== 'nothing') await publish(next === 'publish with a witness');
          }
          await records.heads.insert(heads);
          await records.checkpoints.insert(checkpoints.map(({ isWitnessed: _, ...record }) => record));
          const newest = checkpoints.at(-1);
          if (!newest) return;
          const publications = new Publications(records, newest);
          for (const log of names)
            for (let index = 0; index < growths.length * 3 + 1; index += 1) {
              const head = heads.find((one) => one.log === log && one.size > index);
              const first = checkpoints.findIndex(({ size }) => head && size > head.serviceIndex);
              expect(await publications.of(log, index)).toEqual(expected(checkpoints.slice(first), first));
            }
        }),
        { numRuns: runs(20) },
      );
    });
  });
}

/** @param covering the checkpoints that have the entry, the first one first. */
function expected(
  covering: readonly (PublishedCheckpoint & { readonly isWitnessed: boolean })[],
  first: number,
): Publication | undefined {
  const [one] = covering;
  if (first < 0 || !one) return undefined;
  const looked = [...covering.slice(0, 8), ...covering.slice(-1)];
  const seen = looked.find(({ isWitnessed }) => isWitnessed);
  const witnesses = seen ? [{ name: 'w1', at: seen.size }] : [];
  return one.isWitnessed
    ? { since: one.size * 1_000, clock: 'w1', witnesses }
    : { since: one.at, clock: null, witnesses };
}
