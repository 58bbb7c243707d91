import { eachRecord } from '../collections/records.ts';
import { ServiceError } from '../errors.ts';
import { additionOf, entryOfRow } from './appending/additions.ts';
import { indexesOf } from './appending/known.ts';
import { serviceEntry } from './entries.ts';
import { hashSize, isSameHash, leafHash } from './merkle/hashing.ts';
import type { TileReader } from './merkle/proofs.ts';
import { tilePath, tileWidth } from './merkle/tiles.ts';
import { blindedName, logNames } from './names.ts';
import type { LoggedRow, LoggedRows } from './ports.ts';
import { unpackPositions } from './positions.ts';
import {
  headKey,
  type LogHead,
  type LogTile,
  type PublishedCheckpoint,
  type ReadLogRecords,
  tileKey,
} from './records.ts';

export interface LogReading {
  /** The newest published checkpoint of the service log. */
  published(): Promise<PublishedCheckpoint | undefined>;
  /** The tiles of a log, also those that are not published yet. */
  tiles(log: string): TileReader;
  /** Where a row is in a log; undefined if it is not there yet. */
  indexOf(log: string, row: LoggedRow): Promise<number | undefined>;
  /** The same for many rows. */
  indexesOf(log: string, rows: readonly LoggedRow[]): Promise<(number | undefined)[]>;
  /** The last head of a log in the tree of the service log with this size, if it has the entry. */
  headCovering(log: string, index: number, serviceSize: number): Promise<LogHead | undefined>;
  /** The last head of a log in the tree of the service log with this size. */
  headAt(log: string, serviceSize: number): Promise<LogHead | undefined>;
  /** Entries of a tile, in order. @throws ServiceError `damaged` for an entry that cannot be made again. */
  entries(log: string, tile: { readonly index: number; readonly width: number }): Promise<Uint8Array[]>;
  /** The secret that blinds the name of a log; undefined if the log has no entries. */
  nonceOf(log: string): Promise<Uint8Array | undefined>;
}

export function logReading(records: ReadLogRecords, rows: LoggedRows): LogReading {
  const headAt = async (log: string, serviceSize: number) => {
    const request = { after: null, limit: 1, order: 'descending', range: { until: serviceSize } } as const;
    return (await records.heads.page('log', [log], request)).records[0];
  };
  const ofRows = async (log: string, rows: readonly LoggedRow[]) => {
    const wanted = rows.map(additionOf);
    const found = await indexesOf(records, log, wanted);
    return wanted.map(({ thing }) => found.get(thing));
  };
  return {
    published: () => newestCheckpoint(records),
    tiles: (log) => storedTiles(records, log),

    indexesOf: ofRows,
    indexOf: async (log, row) => (await ofRows(log, [row]))[0],

    headAt,

    async headCovering(log, index, serviceSize) {
      const head = await headAt(log, serviceSize);
      return head && head.size > index ? head : undefined;
    },

    entries: (log, tile) =>
      log === logNames.service ? serviceEntries(records, tile) : entriesOf(records, rows, log, tile),

    async nonceOf(log) {
      const record = await records.logs.get(log);
      return record && Buffer.from(record.nonce, 'base64');
    },
  };
}

export async function newestCheckpoint({
  checkpoints,
}: Pick<ReadLogRecords, 'checkpoints'>): Promise<PublishedCheckpoint | undefined> {
  return (await checkpoints.page('key', [], { after: null, limit: 1, order: 'descending' })).records[0];
}

/** The tiles of a log as they are stored. */
export function storedTiles({ tiles }: Pick<ReadLogRecords, 'tiles'>, log: string): TileReader {
  return {
    async tiles(coordinates) {
      const keys = coordinates.map(({ level, index }) => tileKey(log, level, index));
      const found = await tiles.among('key', keys, 1);
      return coordinates.map((coordinate, at) => {
        const [tile] = found[at] ?? [];
        if (!tile || tile.width < coordinate.width)
          throw new ServiceError(
            'damaged',
            `The tile ${tilePath(coordinate)} of the log ${log} is missing or too short.`,
          );
        return Buffer.from(tile.hashes, 'base64').subarray(0, coordinate.width * hashSize);
      });
    },
  };
}

interface SomeOfTile {
  readonly index: number;
  readonly width: number;
}

async function serviceEntries(records: ReadLogRecords, { index, width }: SomeOfTile): Promise<Uint8Array[]> {
  const first = index * tileWidth;
  const keys = Array.from({ length: width }, (_, at) => headKey(first + at));
  const heads = (await records.heads.among('key', keys, 1)).map(
    ([head], at) => head ?? throwMissing(logNames.service, first + at),
  );
  const logs = await records.logs.among(
    'key',
    heads.map(({ log }) => log),
    1,
  );
  return heads.map(({ log, size, root, serviceIndex }, at) => {
    const [record] = logs[at] ?? [];
    if (!record) throwMissing(logNames.service, serviceIndex);
    const blinded = blindedName(log, Buffer.from(record.nonce, 'base64'));
    return serviceEntry({ blindedName: blinded, size, root: Buffer.from(root, 'base64') });
  });
}

async function entriesOf(
  records: Pick<ReadLogRecords, 'tiles' | 'entries'>,
  rows: Pick<LoggedRows, 'at'>,
  log: string,
  tile: SomeOfTile,
): Promise<Uint8Array[]> {
  const entries = await entriesWithRows(records, rows, log, tile);
  return entries.map(({ bytes }, at) => bytes ?? throwMissing(log, tile.index * tileWidth + at));
}

export interface EntryOfTile {
  /** The row that the tile refers to; undefined for other entries. */
  readonly row?: Omit<LoggedRow, 'isTrusted'>;
  /** See `log_entries`. Undefined for rows. */
  readonly thing?: string;
  /** Undefined if what it is made of is not stored, or is something else now. */
  readonly bytes?: Uint8Array;
}

/** Entries of a tile of a log of statements or records, in order. */
export async function entriesWithRows(
  records: Pick<ReadLogRecords, 'tiles' | 'entries'>,
  rows: Pick<LoggedRows, 'at'>,
  log: string,
  { index, width }: SomeOfTile,
): Promise<EntryOfTile[]> {
  const first = index * tileWidth;
  const tile = await records.tiles.get(tileKey(log, 0, index));
  if (!tile || tile.width < width) throwMissing(log, first + (tile?.width ?? 0));
  const positions = positionsOf(tile).slice(0, width);
  const others = new Map<number, EntryOfTile>();
  if (positions.includes(null)) {
    const range = { from: first, until: first + width };
    for await (const entry of eachRecord(records.entries, 'index', [log], { limit: tileWidth, range }))
      others.set(entry.index, { thing: entry.thing, bytes: Buffer.from(entry.bytes, 'base64') });
  }
  const found = Map.groupBy(
    await rows.at(positions.filter((one) => one !== null)),
    ({ position }) => position,
  );
  const hashes = Buffer.from(tile.hashes, 'base64');
  return positions.map((position, at) => {
    const hash = hashes.subarray(at * hashSize, (at + 1) * hashSize);
    const isSame = ({ bytes }: EntryOfTile) => bytes !== undefined && isSameHash(leafHash(bytes), hash);
    const made =
      position === null
        ? [others.get(first + at) ?? {}]
        : (found.get(position) ?? []).map((row) => ({ row, bytes: entryOfRow({ ...row, isTrusted: true }) }));
    return made.find(isSame) ?? {};
  });
}

function positionsOf({ positions }: LogTile): (number | null)[] {
  return unpackPositions(Buffer.from(positions ?? '', 'base64'));
}

function throwMissing(log: string, index: number): never {
  throw new ServiceError(
    'damaged',
    `Entry ${index} of the log ${log} cannot be made again. Run "cairn fsck" to see what is damaged.`,
  );
}
