import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  collection,
  type ReadRecordStore,
  type RecordStore,
  type RecordsOf,
} from '../collections/collection.ts';

const count = z.int().min(0);
const base64 = z.base64();

export const logs = collection('logs', {
  shape: z.object({
    /** See `logNames`. */
    name: z.string().min(1),
    /** A secret of 32 bytes, which blinds the name. */
    nonce: base64,
    size: count,
    /** The size in its last entry of the service log. Of the service log itself: 0. */
    noted: count,
    /** Since when it is larger than that, in milliseconds since 1970; null if it is not. */
    pendingSince: count.nullable(),
    /** Of the service log: the key that signs its checkpoints, whose name is the origin. Null in all others. */
    vkey: z.string().nullable(),
  }),
  key: 'name',
  indexes: { pending: ['pendingSince'] },
});

/** An entry that its tile does not refer to by a position, see `log_entries`. */
const otherEntry = z.object({ at: count, thing: z.string().min(1), bytes: base64 });

const head = z.object({ log: z.string().min(1), size: count, root: base64 });

/**
 * Entries that are being appended. Who stores one at the size of its log has decided what comes next. One at another index
 * decides nothing and is removed.
 */
export const logBatches = collection('log_batches', {
  shape: z.object({
    /** `batchKey`. */
    key: z.string().min(1),
    log: z.string().min(1),
    first: count,
    /** The leaf hashes, one after the other. */
    hashes: base64,
    /** Of all entries, see `packPositions`. Null in the service log. */
    positions: base64.nullable(),
    others: z.array(otherEntry),
    /** In the service log: what its entries say. */
    heads: z.array(head),
  }),
  key: 'key',
  isTransient: true,
});

/** A tile of the Merkle tree (tlog-tiles). It only grows, by updates that expect its former width. */
export const logTiles = collection('log_tiles', {
  shape: z.object({
    /** `tileKey`. */
    key: z.string().min(1),
    log: z.string().min(1),
    level: count,
    index: count,
    width: z.int().min(1).max(256),
    hashes: base64,
    /** At level 0: of each entry, see `packPositions`. */
    positions: base64.nullable(),
    /** At level 0: the largest position in it and in the tiles before; 0 if there is none. */
    maxPosition: count.nullable(),
  }),
  key: 'key',
  indexes: { positions: ['log', 'maxPosition'] },
});

/** Entries that have no position in their tile: those that came late, unverified rows, and records. */
export const logEntries = collection('log_entries', {
  shape: z.object({
    /** `entryKey`. */
    key: z.string().min(1),
    log: z.string().min(1),
    index: count,
    /** What it is an entry of. A log has one entry for each thing. */
    thing: z.string().min(1),
    bytes: base64,
  }),
  key: 'key',
  unique: { thing: ['thing', 'log'] },
  indexes: { index: ['log', 'index'] },
});

/** A head of a log, for each entry of the service log. */
export const logHeads = collection('log_heads', {
  shape: z.object({
    /** `headKey` of the index in the service log. */
    key: z.string().min(1),
    serviceIndex: count,
    log: z.string().min(1),
    size: count,
    root: base64,
  }),
  key: 'key',
  indexes: { log: ['log', 'serviceIndex'] },
});

/** The published checkpoints of the service log. */
export const logCheckpoints = collection('log_checkpoints', {
  shape: z.object({
    /** `checkpointKey` of the size. */
    key: z.string().min(1),
    size: count,
    root: base64,
    /** The signed note, with cosignatures. */
    note: z.string().min(1),
    at: count,
  }),
  key: 'key',
});

/** The key of the turn of publishing. */
export const publishingTurn = 'publish';

/** Which process appends, and which one publishes. It saves work, and nothing depends on it. */
export const logTurns = collection('log_turns', {
  shape: z.object({ key: z.string(), holder: z.string(), until: count }),
  key: 'key',
  isTransient: true,
});

export type Logs = RecordsOf<typeof logs>;
export type LogRecord = Readonly<z.output<typeof logs.shape>>;
export type LogBatch = Readonly<z.output<typeof logBatches.shape>>;
export type LogTile = Readonly<z.output<typeof logTiles.shape>>;
export type LogEntry = Readonly<z.output<typeof logEntries.shape>>;
export type LogHead = Readonly<z.output<typeof logHeads.shape>>;
export type PublishedCheckpoint = Readonly<z.output<typeof logCheckpoints.shape>>;

/** What keeps the logs of a store. */
export interface LogRecords {
  readonly logs: Logs;
  readonly batches: RecordsOf<typeof logBatches>;
  readonly tiles: RecordsOf<typeof logTiles>;
  readonly entries: RecordsOf<typeof logEntries>;
  readonly heads: RecordsOf<typeof logHeads>;
  readonly checkpoints: RecordsOf<typeof logCheckpoints>;
}

/** The same, only read. */
export type ReadLogRecords = {
  readonly [Name in keyof LogRecords]: Pick<LogRecords[Name], 'get' | 'page' | 'among'>;
};

export function logRecords(store: RecordStore): LogRecords;
export function logRecords(store: ReadRecordStore): ReadLogRecords;
export function logRecords(store: ReadRecordStore): ReadLogRecords {
  return {
    logs: store.of(logs),
    batches: store.of(logBatches),
    tiles: store.of(logTiles),
    entries: store.of(logEntries),
    heads: store.of(logHeads),
    checkpoints: store.of(logCheckpoints),
  };
}

/** Keys sort like their numbers. */
const digits = 16;
const padded = (number: number) => String(number).padStart(digits, '0');

export const batchKey = (log: string, first: number) => `${log}/${padded(first)}`;
export const entryKey = (log: string, index: number) => `${log}/${padded(index)}`;
export const tileKey = (log: string, level: number, index: number) => `${log}/${level}/${padded(index)}`;
export const headKey = (serviceIndex: number) => padded(serviceIndex);
export const checkpointKey = (size: number) => padded(size);

const nonceBytes = 32;

/** The logs with these names. Missing ones are made, empty. */
export async function openLogs(stored: Logs, names: readonly string[]): Promise<LogRecord[]> {
  const find = async () => (await stored.among('key', names, 1)).map(([record]) => record);
  const found = await find();
  const missing = names.filter((_, at) => !found[at]);
  if (missing.length === 0) return found.flatMap((record) => record ?? []);
  await stored.insert(missing.map(newLog));
  return (await find()).flatMap((record) => record ?? []);
}

function newLog(name: string): LogRecord {
  const nonce = randomBytes(nonceBytes).toString('base64');
  return { name, nonce, size: 0, noted: 0, pendingSince: null, vkey: null };
}

export async function openLog({ logs }: Pick<LogRecords, 'logs'>, name: string): Promise<LogRecord> {
  const [record] = await openLogs(logs, [name]);
  if (!record) throw new TypeError(`The log ${name} was not made.`);
  return record;
}
