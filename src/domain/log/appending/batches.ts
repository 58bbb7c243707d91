import { eachRecord } from '../../collections/records.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { emptyRoot, hashSize } from '../merkle/hashing.ts';
import { rootOfEdge } from '../merkle/tiles.ts';
import { logNames } from '../names.ts';
import { entryKey, headKey, type LogBatch, type LogRecord, type LogRecords } from '../records.ts';
import { grownTiles, type LogState, statesOf } from './log-states.ts';

/** Updates that wait for the store at once. */
const updatesAtOnce = 64;

/**
 * Completes batches of different logs, and removes those that decide nothing. Any process may do that, at any time and more than
 * once: each step changes nothing if it, or a later one, was done before.
 * @returns the logs that have grown by this or another process.
 */
export async function completeBatches(
  records: LogRecords,
  batches: readonly LogBatch[],
  now: number,
): Promise<ReadonlySet<string>> {
  // Read after the batches were stored: a batch at the size of its log is the only one there.
  const found = await records.logs.among(
    'key',
    batches.map(({ log }) => log),
    1,
  );
  const counting = batches.filter(({ first }, at) => found[at]?.[0]?.size === first);
  const states = await statesOf(
    records,
    counting.flatMap((batch) => found[batches.indexOf(batch)] ?? []),
  );
  await storeTiles(records, counting, states);
  await records.entries.insert(counting.flatMap(entriesOf));
  await each(counting, (batch) => (batch.log === logNames.service ? storeHeads(records, batch) : undefined));
  await each(counting, (batch, at) => grow(records, batch, states[at]?.record, now));
  await each(batches, ({ key }) => records.batches.remove(key));
  return new Set(counting.map(({ log }) => log));
}

async function each<Item>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<unknown> | undefined,
): Promise<void> {
  for await (const _ of mapConcurrent(items.entries(), updatesAtOnce, async ([at, item]) => work(item, at)));
}

async function storeTiles(
  { tiles }: LogRecords,
  batches: readonly LogBatch[],
  states: readonly LogState[],
): Promise<void> {
  const writes = [];
  for (const [at, state] of states.entries()) {
    const batch = batches[at];
    if (batch) writes.push(...(await grownTiles(state, batch)));
  }
  const added = writes.filter(({ before }) => before === 0).map(({ tile }) => tile);
  await tiles.insert(added);
  const widened = writes.filter(({ before }) => before > 0);
  await each(widened, ({ tile: { key, width, hashes, positions, maxPosition }, before }) =>
    tiles.update(key, { width: before }, { width, hashes, positions, maxPosition }),
  );
}

function entriesOf({ log, first, others }: LogBatch) {
  return others.map(({ at, thing, bytes }) => ({
    key: entryKey(log, first + at),
    log,
    index: first + at,
    thing,
    bytes,
  }));
}

/** A log that has grown meanwhile stays pending. */
async function storeHeads({ heads, logs }: LogRecords, { first, heads: added }: LogBatch): Promise<void> {
  await heads.insert(
    added.map((head, at) => ({ key: headKey(first + at), serviceIndex: first + at, ...head })),
  );
  await each(added, ({ log, size }) => logs.update(log, { size }, { noted: size, pendingSince: null }));
}

async function grow({ logs }: LogRecords, batch: LogBatch, record: LogRecord | undefined, now: number) {
  const size = batch.first + Buffer.from(batch.hashes, 'base64').length / hashSize;
  const pendingSince = batch.log === logNames.service ? null : (record?.pendingSince ?? now);
  await logs.update(batch.log, { size: batch.first }, { size, pendingSince });
}

/** Completes what processes have left that ended. */
export async function recoverBatches(records: LogRecords, now: number): Promise<void> {
  for await (const batch of eachRecord(records.batches, 'key', [], { limit: 16 }))
    await completeBatches(records, [batch], now);
}

export function rootOfState({ record: { size }, edge }: LogState): Uint8Array {
  return size === 0 ? emptyRoot : (rootOfEdge(size, edge) ?? emptyRoot);
}
