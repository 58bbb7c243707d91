import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { isSameHash, leafHash } from '../merkle/hashing.ts';
import { tileWidth } from '../merkle/tiles.ts';
import { unpackPositions } from '../positions.ts';
import type { LogTile, ReadLogRecords } from '../records.ts';
import type { Addition } from './additions.ts';
import { hashesIn, type LogState } from './log-states.ts';

/** The additions that a log does not have, each once. */
export async function withoutKnown(
  records: Pick<ReadLogRecords, 'tiles' | 'entries'>,
  { record: { name, size }, maxPosition }: LogState,
  additions: readonly Addition[],
): Promise<Addition[]> {
  const distinct = [...new Map(additions.map((one) => [one.thing, one])).values()];
  if (size === 0) return distinct;
  const wanted = distinct.filter(({ isFirst }) => !isFirst);
  const isNew = ({ position }: Addition) => position !== null && position > maxPosition;
  const doubtful = wanted.filter((one) => !isNew(one));
  if (doubtful.length === 0) return wanted;
  const indexes = await indexesOf(records, name, doubtful);
  return wanted.filter((one) => (indexes.get(one.thing) ?? size) >= size);
}

const thingsAtOnce = 500;

/** Where a log has these, by thing, in the order of positions. A log that is just growing may have more entries than its size. */
export async function indexesOf(
  { tiles, entries }: Pick<ReadLogRecords, 'tiles' | 'entries'>,
  log: string,
  wanted: readonly Addition[],
): Promise<Map<string, number>> {
  const indexes = new Map<string, number>();
  for (let at = 0; at < wanted.length; at += thingsAtOnce) {
    const things = wanted.slice(at, at + thingsAtOnce).map(({ thing }) => thing);
    for (const [entry] of await entries.among('thing', things, 1, [log]))
      if (entry) indexes.set(entry.thing, entry.index);
  }
  let tile: PositionedTile | undefined;
  for (const { position, thing, bytes } of wanted.toSorted(byPosition)) {
    if (position === null || indexes.has(thing)) continue;
    if (!tile || position > tile.maxPosition) {
      // The first tile that goes so far. Positions grow, so others cannot have it.
      const request = { after: null, limit: 1, range: { from: position } };
      const [found] = (await tiles.page('positions', [log], request)).records;
      if (!found) break;
      tile = positioned(found);
    }
    const within = tile.indexes.get(position);
    const hash = within === undefined ? undefined : tile.hashes[within];
    if (within !== undefined && hash && isSameHash(hash, leafHash(bytes)))
      indexes.set(thing, tile.first + within);
    await yieldToEventLoop();
  }
  return indexes;
}

function byPosition(one: Addition, other: Addition): number {
  return (one.position ?? -1) - (other.position ?? -1);
}

interface PositionedTile {
  readonly first: number;
  readonly maxPosition: number;
  readonly indexes: ReadonlyMap<number, number>;
  readonly hashes: readonly Uint8Array[];
}

function positioned({ index, hashes, positions, maxPosition }: LogTile): PositionedTile {
  const own = unpackPositions(Buffer.from(positions ?? '', 'base64'));
  const pairs = own.flatMap((position, at) => (position === null ? [] : [[position, at] as const]));
  return {
    first: index * tileWidth,
    maxPosition: maxPosition ?? 0,
    indexes: new Map(pairs),
    hashes: hashesIn(Buffer.from(hashes, 'base64')),
  };
}
