import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLevels, type LevelSizes, levelWrites } from '../../../src/storage/embedded/index/levels.ts';
import { runs } from '../../property-runs.ts';

const columns = ['hash', 'start', 'seq'];
const small = { first: 8, slice: 4 };

function newSet(sizes: LevelSizes) {
  const database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE levels (name TEXT PRIMARY KEY, size INTEGER NOT NULL) STRICT;
    ${createLevels('keys', ['hash INTEGER', 'start BLOB', 'seq INTEGER'])}`);
  const reopened = () => levelWrites(database, { name: 'keys', columns, sizes });
  const sizesOf = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map(({ size }) => Number(size));
  return {
    database,
    reopened,
    /** In the order that SQLite gives them. */
    keys: () =>
      database
        .prepare('SELECT hash, start, seq FROM keys ORDER BY hash, start, seq')
        .all()
        .map(({ hash, start, seq }) => `${hash} ${Buffer.from(start as Uint8Array).toString('hex')} ${seq}`),
    recorded: () => sizesOf('SELECT size FROM levels ORDER BY name'),
    counted: () => [0, 1, 2].flatMap((level) => sizesOf(`SELECT count(*) AS size FROM keys_${level}`)),
  };
}

type Set = ReturnType<typeof newSet>;
interface Key {
  readonly hash: number;
  readonly start: Uint8Array;
  readonly seq: number;
}

const key: fc.Arbitrary<Omit<Key, 'seq'>> = fc.record({
  hash: fc.oneof(fc.constantFrom(0, 1, 2 ** 48 - 1), fc.nat({ max: 100 })),
  start: fc.uint8Array({ maxLength: 2 }),
});
const writes = fc.array(
  fc.record({
    added: fc.array(key, { maxLength: 40 }),
    removed: fc.array(fc.nat({ max: 1_000 }), { maxLength: 5 }),
    end: fc.constantFrom('commit', 'commit', 'roll back', 'restart'),
  }),
  { maxLength: 12 },
);

function inOrder(keys: Iterable<Key>): string[] {
  return [...keys]
    .sort((a, b) => a.hash - b.hash || Buffer.compare(a.start, b.start) || a.seq - b.seq)
    .map(({ hash, start, seq }) => `${hash} ${Buffer.from(start).toString('hex')} ${seq}`);
}

describe('a set of keys in levels', () => {
  test('has what was added and not removed, in order, whatever moved, was taken back or opened again', () => {
    fc.assert(
      fc.property(writes, (sequence) => {
        const set = newSet(small);
        let model = new Map<number, Key>();
        let writer = set.reopened();
        let seq = 0;
        for (const { added, removed, end } of sequence) {
          const next = new Map(model);
          set.database.exec('BEGIN');
          writer.begin();
          for (const at of removed) {
            const gone = [...next.values()][at % Math.max(next.size, 1)];
            if (!gone) continue;
            writer.remove(gone.hash, gone.start, gone.seq);
            next.delete(gone.seq);
          }
          for (const { hash, start } of added) {
            seq += 1;
            for (const _twice of [1, 2]) writer.add(hash, start, seq);
            next.set(seq, { hash, start, seq });
          }
          writer.settle();
          set.database.exec(end === 'roll back' ? 'ROLLBACK' : 'COMMIT');
          if (end !== 'roll back') model = next;
          if (end === 'restart') writer = set.reopened();
          expect(set.keys()).toEqual(inOrder(model.values()));
          expect(set.recorded()).toEqual(set.counted());
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('keeps its first levels small', () => {
    const sizes = { first: 32, slice: 8 };
    const set = newSet(sizes);
    const writer = set.reopened();
    fill(set, writer, 4_000);
    const [first = 0, second = 0, third = 0] = set.counted();
    expect(first).toBeLessThan(2 * sizes.first);
    expect(second).toBeLessThan(2 * Math.sqrt(sizes.first * 4_000));
    expect(first + second + third).toBe(4_000);
    expect(set.recorded()).toEqual([first, second, third]);
  });

  test('moves no more from a level at once than it was given, but for a slice', () => {
    const sizes = { first: 32, slice: 8 };
    const set = newSet(sizes);
    const writer = set.reopened();
    let before = 0;
    for (let at = 0; at < 4_000; at += 10) {
      fill(set, writer, 10, at);
      const last = set.counted()[2] ?? 0;
      expect(last - before).toBeLessThanOrEqual(10 + 2 * sizes.slice);
      before = last;
    }
    expect(before).toBeGreaterThan(2_000);
  });
});

/** Adds keys that come in no order. */
function fill({ database }: Set, writer: ReturnType<typeof levelWrites>, count: number, from = 0): void {
  for (let at = from; at < from + count; at += 10) {
    database.exec('BEGIN');
    writer.begin();
    for (let seq = at; seq < at + 10; seq += 1)
      writer.add((seq * 7_919) % 4_001, new Uint8Array([seq % 256]), seq);
    writer.settle();
    database.exec('COMMIT');
  }
}
