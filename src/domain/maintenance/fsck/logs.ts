import { eachRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { isSameHash, leafHash } from '../../log/merkle/hashing.ts';
import { rootAt } from '../../log/merkle/proofs.ts';
import { MerkleRange } from '../../log/merkle/range.ts';
import { tileWidth } from '../../log/merkle/tiles.ts';
import { logNames } from '../../log/names.ts';
import { logReading, storedTiles } from '../../log/reading.ts';
import { type LogRecord, logRecords, type ReadLogRecords } from '../../log/records.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { lost, messageOfDamage, type StoreProblem } from '../problems.ts';
import type { FsckRun } from './run.ts';

export const restoreLog =
  'Restore the store from a backup. Nothing repairs this, because others may have what was published: see docs/backup.md.';

/** A head that was stored, or published. */
interface KnownHead {
  readonly size: number;
  readonly root: string;
  readonly what: string;
}

/** Makes every entry of every log again from what is stored, and compares all roots. It changes nothing. */
export async function* fsckLogs({ store }: Pick<FsckRun, 'store'>): AsyncGenerator<StoreProblem> {
  const records = logRecords(store);
  for await (const log of eachRecord(records.logs, 'key', [])) {
    try {
      yield* fsckLog({ records, store }, log);
    } catch (error) {
      if (error instanceof ServiceError && error.retryAfter !== undefined) throw error;
      yield lost('log', log.name, messageOfDamage(error), restoreLog);
    }
  }
}

async function* fsckLog(
  { records, store }: { readonly records: ReadLogRecords; readonly store: FsckRun['store'] },
  { name, size }: LogRecord,
): AsyncGenerator<StoreProblem> {
  const reading = logReading(records, { ...store.loggedRows, positionsOf: async () => [] });
  const range = new MerkleRange();
  const heads = name === logNames.service ? publishedHeads(records) : ownHeads(records, name);
  let next = await heads.next();
  for (let index = 0; index * tileWidth < size; index += 1) {
    const width = Math.min(tileWidth, size - index * tileWidth);
    for (const entry of await reading.entries(name, { index, width })) {
      range.append(leafHash(entry));
      for (; !next.done && next.value.size === range.size; next = await heads.next())
        if (next.value.root !== Buffer.from(range.root()).toString('base64'))
          yield lost(
            'log',
            name,
            `Its root at size ${range.size} is not that of ${next.value.what}`,
            restoreLog,
          );
      await yieldToEventLoop();
    }
  }
  if (!next.done)
    yield lost(
      'log',
      name,
      `It has ${size} entries, and ${next.value.what} has the size ${next.value.size}`,
      restoreLog,
    );
  if (!isSameHash(await rootAt(storedTiles(records, name), size), range.root()))
    yield lost('log', name, `Its tiles do not lead to the root of its ${size} entries`, restoreLog);
}

/** In the order of their sizes. */
async function* ownHeads({ heads }: ReadLogRecords, log: string): AsyncGenerator<KnownHead, undefined> {
  for await (const { size, root, serviceIndex } of eachRecord(heads, 'log', [log]))
    yield { size, root, what: `entry ${serviceIndex} of the service log` };
  return undefined;
}

async function* publishedHeads({ checkpoints }: ReadLogRecords): AsyncGenerator<KnownHead, undefined> {
  for await (const { size, root } of eachRecord(checkpoints, 'key', []))
    yield { size, root, what: `a published checkpoint` };
  return undefined;
}
