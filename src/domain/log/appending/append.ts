import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { leafHash } from '../merkle/hashing.ts';
import { packPositions } from '../positions.ts';
import { batchKey, type LogBatch, type LogRecords } from '../records.ts';
import type { Addition } from './additions.ts';
import { completeBatches } from './batches.ts';
import { withoutKnown } from './known.ts';
import { type LogState, logStates } from './log-states.ts';

/** What has to be in a log. */
export interface Additions {
  readonly log: string;
  readonly additions: readonly Addition[];
}

/** The most entries of a batch. Its record takes up to half a MiB. */
const entriesAtOnce = 4_096;
/** Logs that grow at once. */
const logsAtOnce = 256;

/** Adds to each log what it does not have. When it resolves, all of it is in the logs. */
export async function appendAll(
  records: LogRecords,
  wanted: readonly Additions[],
  now: () => number,
): Promise<void> {
  let left = wanted.filter(({ additions }) => additions.length > 0);
  while (left.length > 0) {
    const turn = left.slice(0, logsAtOnce);
    const again = await appendSome(records, turn, now());
    left = [...left.slice(logsAtOnce), ...again];
  }
}

/** Adds a batch to each log. @returns what the logs do not have yet, as far as known. */
async function appendSome(
  records: LogRecords,
  wanted: readonly Additions[],
  now: number,
): Promise<Additions[]> {
  const states = await logStates(
    records,
    wanted.map(({ log }) => log),
  );
  const stateOf = new Map(states.map((state) => [state.record.name, state]));
  const again: Additions[] = [];
  const batches: LogBatch[] = [];
  for (const { log, additions } of wanted) {
    const state = stateOf.get(log);
    if (!state) throw new TypeError(`The log ${log} was not made.`);
    const some = additions.slice(0, entriesAtOnce);
    const rest = additions.slice(entriesAtOnce);
    const fresh = await withoutKnown(records, state, some);
    if (fresh.length > 0) {
      batches.push(await batchOf(state, fresh));
      // Another process may have stored a batch at this place. What it has of these is left out the next time.
      again.push({ log, additions: [...some, ...rest] });
    } else if (rest.length > 0) again.push({ log, additions: rest });
  }
  const isStored = await records.batches.insert(batches);
  const others = await records.batches.among(
    'key',
    batches.filter((_, at) => !isStored[at]).map(({ key }) => key),
    1,
  );
  const own = batches.filter((_, at) => isStored[at]);
  const grown = await completeBatches(records, [...own, ...others.flat()], now);
  const isDone = new Set(own.filter(({ log }) => grown.has(log)).map(({ log }) => log));
  return again.flatMap(({ log, additions }) => {
    const left = isDone.has(log) ? additions.slice(entriesAtOnce) : additions;
    return left.length > 0 ? [{ log, additions: left }] : [];
  });
}

const leavesAtOnce = 64;

async function batchOf(
  { record: { name, size }, maxPosition }: LogState,
  additions: readonly Addition[],
): Promise<LogBatch> {
  const hashes: Uint8Array[] = [];
  const positions: (number | null)[] = [];
  const others: { at: number; thing: string; bytes: string }[] = [];
  let last = maxPosition;
  for (const [at, { position, thing, bytes }] of additions.entries()) {
    hashes.push(leafHash(bytes));
    const isPlaced = position !== null && position > last;
    positions.push(isPlaced ? position : null);
    if (isPlaced) last = position;
    else others.push({ at, thing, bytes: Buffer.from(bytes).toString('base64') });
    if (at % leavesAtOnce === 0) await yieldToEventLoop();
  }
  return {
    key: batchKey(name, size),
    log: name,
    first: size,
    hashes: Buffer.concat(hashes).toString('base64'),
    positions: packPositions(positions).toString('base64'),
    others,
    heads: [],
  };
}
