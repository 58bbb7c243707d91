import { eachRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { thingOfRow } from '../../log/appending/additions.ts';
import { isSameHash } from '../../log/merkle/hashing.ts';
import { rootAt } from '../../log/merkle/proofs.ts';
import { type TileCoordinate, tilesOf, tileWidth } from '../../log/merkle/tiles.ts';
import { logNames } from '../../log/names.ts';
import { packPositions } from '../../log/positions.ts';
import { entriesWithRows, storedTiles } from '../../log/reading.ts';
import {
  entryKey,
  headKey,
  type LogEntry,
  type LogRecord,
  type LogRecords,
  type LogTile,
  logCheckpoints,
  logEntries,
  logHeads,
  logRecords,
  logs,
  logTiles,
  type ReadLogRecords,
  tileKey,
} from '../../log/records.ts';
import type { StoreProblem } from '../problems.ts';
import { leftOut, type MigrationRun } from './run.ts';

/** Their records are copied here, because tiles refer to rows by what only their store knows. */
export const logCollections: ReadonlySet<unknown> = new Set([
  logs,
  logTiles,
  logEntries,
  logHeads,
  logCheckpoints,
]);

/**
 * Copies the logs, so that the target goes on with them. What the source has not published is in the same order.
 * @throws ServiceError `conflict` if the target has logs of its own.
 */
export async function* copyLogs(run: MigrationRun): AsyncGenerator<StoreProblem> {
  const source = logRecords(run.source);
  const target = logRecords(run.target);
  // First, because its entries say how large the others have been.
  const service = await source.logs.get(logNames.service);
  const others = eachRecord(source.logs, 'key', []);
  if (service) await assertExtends(source, target, service);
  for await (const log of others) {
    if (log.name === logNames.service) continue;
    await assertExtends(source, target, log);
    yield* copyLog(run, source, target, log);
  }
  if (!service) return;
  for (let index = 0; index < service.size; index += tileWidth) {
    const range = { from: index, until: Math.min(index + tileWidth, service.size) };
    await target.heads.insert(await headsIn(source, range));
  }
  yield* copyLog(run, source, target, service);
  for await (const checkpoint of eachRecord(source.checkpoints, 'key', []))
    if (checkpoint.size <= service.size) await target.checkpoints.insert([checkpoint]);
}

async function headsIn({ heads }: ReadLogRecords, { from, until }: { from: number; until: number }) {
  const keys = Array.from({ length: until - from }, (_, at) => headKey(from + at));
  return (await heads.among('key', keys, 1)).flat();
}

/** @throws ServiceError `conflict` unless the log of the source is that of the target, which may be shorter. */
async function assertExtends(source: ReadLogRecords, target: LogRecords, log: LogRecord): Promise<void> {
  const there = await target.logs.get(log.name);
  if (!there || there.size === 0) return;
  const isSame =
    there.size <= log.size &&
    isSameHash(
      await rootAt(storedTiles(target, log.name), there.size),
      await rootAt(storedTiles(source, log.name), there.size),
    );
  if (isSame) return;
  throw new ServiceError(
    'conflict',
    `The target has a log ${log.name} that the log of the source does not extend. Two histories cannot become one. Choose an empty target.`,
  );
}

async function* copyLog(
  run: MigrationRun,
  source: ReadLogRecords,
  target: LogRecords,
  log: LogRecord,
): AsyncGenerator<StoreProblem> {
  const { name, size } = log;
  let max = 0;
  for (const coordinate of tilesOf(size)) {
    const [hashes = new Uint8Array()] = await storedTiles(source, name).tiles([coordinate]);
    const isOfRows = coordinate.level === 0 && name !== logNames.service;
    const placed = isOfRows ? await placedAnew(run, source, name, coordinate, max) : null;
    if (placed) {
      max = placed.max;
      await target.entries.insert(placed.others);
      for (const at of placed.lost)
        yield leftOut(run, {
          kind: 'record',
          id: entryKey(name, at),
          problem: 'The row of this entry of a log is missing',
        });
    }
    const { level, index, width } = coordinate;
    await putTile(target, {
      key: tileKey(name, level, index),
      log: name,
      level,
      index,
      width,
      hashes: Buffer.from(hashes).toString('base64'),
      positions: placed && packPositions(placed.positions).toString('base64'),
      maxPosition: placed && max,
    });
  }
  const [isNew] = await target.logs.insert([log]);
  const { size: former = size } = (await target.logs.get(name)) ?? {};
  if (!isNew) await target.logs.update(name, { size: former }, log);
  run.count('records', 1);
}

async function putTile({ tiles }: LogRecords, tile: LogTile): Promise<void> {
  const [isNew] = await tiles.insert([tile]);
  if (isNew) return;
  const { width = tile.width } = (await tiles.get(tile.key)) ?? {};
  if (width < tile.width) await tiles.update(tile.key, { width }, tile);
}

/** The entries of a tile, by the positions that their rows have in the target. */
async function placedAnew(
  { source: { loggedRows }, target }: MigrationRun,
  records: ReadLogRecords,
  log: string,
  { index, width }: TileCoordinate,
  before: number,
) {
  const entries = await entriesWithRows(records, loggedRows, log, { index, width });
  const digests = entries.flatMap(({ row }) => (row ? [row.jcsDigest] : []));
  const found = (await target.loggedRows.positionsOf(digests)).values();
  const others: LogEntry[] = [];
  const lost: number[] = [];
  let max = before;
  const positions = entries.map(({ row, thing, bytes }, at) => {
    const position = row ? (found.next().value ?? null) : null;
    if (position !== null && position > max) {
      max = position;
      return position;
    }
    const name = row ? thingOfRow({ ...row, isTrusted: true }) : thing;
    const key = entryKey(log, index * tileWidth + at);
    if (name === undefined || bytes === undefined) lost.push(index * tileWidth + at);
    else
      others.push({
        key,
        log,
        index: index * tileWidth + at,
        thing: name,
        bytes: Buffer.from(bytes).toString('base64'),
      });
    return null;
  });
  return { positions, others, lost, max };
}
