import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { hashSize } from '../merkle/hashing.ts';
import { edgeOf, growTiles, type Tile, tileWidth, widthIn } from '../merkle/tiles.ts';
import { packPositions, unpackPositions } from '../positions.ts';
import {
  type LogBatch,
  type LogRecord,
  type LogRecords,
  type LogTile,
  openLogs,
  tileKey,
} from '../records.ts';

/** A log at its size, and what decides how it grows. */
export interface LogState {
  readonly record: LogRecord;
  /** The partial tiles. */
  readonly edge: readonly Tile[];
  /** The positions of the partial tile at level 0. */
  readonly positions: readonly (number | null)[];
  /** The largest position of all entries; 0 if none has one. */
  readonly maxPosition: number;
}

type StoredLogs = Pick<LogRecords, 'logs' | 'tiles'>;

/** The logs with these names. Missing ones are made, empty. */
export async function logStates(stored: StoredLogs, names: readonly string[]): Promise<LogState[]> {
  return await statesOf(stored, await openLogs(stored.logs, names));
}

export async function statesOf(
  { tiles }: Pick<LogRecords, 'tiles'>,
  records: readonly LogRecord[],
): Promise<LogState[]> {
  const wanted = records.map(({ name, size }) =>
    neededTiles(size).map(({ level, index }) => tileKey(name, level, index)),
  );
  const found = new Map<string, LogTile>();
  for (const [tile] of await tiles.among('key', wanted.flat(), 1)) if (tile) found.set(tile.key, tile);
  return records.map((record, at) =>
    stateOf(
      record,
      (wanted[at] ?? []).flatMap((key) => found.get(key) ?? []),
    ),
  );
}

/** The partial tiles. If that of level 0 is missing, also the full tile before it, because it has the last positions. */
function neededTiles(size: number) {
  const edge = edgeOf(size);
  if (size === 0 || edge[0]?.level === 0) return edge;
  return [...edge, { level: 0, index: size / tileWidth - 1, width: tileWidth }];
}

function stateOf(record: LogRecord, found: readonly LogTile[]): LogState {
  const edge = found.map(({ level, index, hashes }) => ({
    level,
    index,
    hashes: Buffer.from(hashes, 'base64'),
  }));
  const last = found.find(({ level }) => level === 0);
  if (!last?.positions) return { record, edge, positions: [], maxPosition: 0 };
  // Another process may have begun to widen the tile.
  const width = widthIn(record.size, 0, last.index);
  const positions = unpackPositions(Buffer.from(last.positions, 'base64')).slice(0, width);
  const known = positions.findLast((position) => position !== null);
  const maxPosition = known ?? before(last);
  return { record, edge, positions: width === tileWidth ? [] : positions, maxPosition };
}

/** The largest position of the tiles before one without positions. */
function before({ maxPosition }: LogTile): number {
  return maxPosition ?? 0;
}

/** A change of a tile, which had that width before. 0: it is new. */
export interface TileWrite {
  readonly tile: LogTile;
  readonly before: number;
}

/** Leaves to hash between two looks at the event loop. */
const leavesAtOnce = 256;

/** What a batch makes of the tiles of its log. */
export async function grownTiles(state: LogState, batch: LogBatch): Promise<TileWrite[]> {
  const { name, size } = state.record;
  const leaves = hashesIn(Buffer.from(batch.hashes, 'base64'));
  const changed = new Map<string, Tile>();
  let [edge, grown] = [state.edge, size];
  for (let at = 0; at < leaves.length; at += leavesAtOnce) {
    const step = growTiles(grown, edge, leaves.slice(at, at + leavesAtOnce));
    for (const tile of step.tiles) changed.set(tileKey(name, tile.level, tile.index), tile);
    [edge, grown] = [step.edge, step.size];
    await yieldToEventLoop();
  }
  const placed = batch.positions === null ? null : unpackPositions(Buffer.from(batch.positions, 'base64'));
  const positions = placed && [...state.positions, ...placed];
  const firstAt = size - state.positions.length;
  let max = state.maxPosition;
  return [...changed].map(([key, { level, index, hashes }]) => {
    const width = hashes.length / hashSize;
    const start = index * tileWidth - firstAt;
    const own = level === 0 && positions ? positions.slice(start, start + width) : null;
    max = own?.findLast((position) => position !== null) ?? max;
    const tile: LogTile = {
      key,
      log: name,
      level,
      index,
      width,
      hashes: Buffer.from(hashes).toString('base64'),
      positions: own && packPositions(own).toString('base64'),
      maxPosition: own && max,
    };
    return { tile, before: widthIn(size, level, index) };
  });
}

export function hashesIn(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: bytes.length / hashSize }, (_, at) =>
    bytes.subarray(at * hashSize, (at + 1) * hashSize),
  );
}
