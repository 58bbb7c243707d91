import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLevels, levelTables, levelWrites } from '../../../src/storage/embedded/index/levels.ts';
import { runs } from '../../property-runs.ts';

const keysOf = (keys: number) => ({ name: 'keys', columns: ['hash', 'start', 'seq'], keys });

function newSet(keys: number, slice: number) {
  const set = keysOf(keys);
  const database = new DatabaseSync(':memory:');
  database.exec(createLevels(set, ['INTEGER', 'BLOB', 'INTEGER']));
  const count = (table: string) =>
    Number(database.prepare(`SELECT count(*) AS keys FROM ${table}`).get()?.keys);
  return {
    database,
    reopened: () => levelWrites(database, set, slice),
    /** In the order that SQLite gives them. */
    keys: () =>
      database
        .prepare('SELECT hash, start, seq FROM keys ORDER BY hash, start, seq')
        .all()
        .map(({ hash, start, seq }) => `${hash} ${Buffer.from(start as Uint8Array).toString('hex')} ${seq}`),
    /** The number of keys of each table. */
    sizes: () => levelTables(set).map(count),
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
  test('keeps added keys in order through moves, rollbacks and reopening', () => {
    fc.assert(
      fc.property(writes, (sequence) => {
        const set = newSet(8, 4);
        let model = new Map<number, Key>();
        let writer = set.reopened();
        let seq = 0;
        for (const { added, removed, end } of sequence) {
          const next = new Map(model);
          set.database.exec('BEGIN');
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
          writer.settle(seq);
          set.database.exec(end === 'roll back' ? 'ROLLBACK' : 'COMMIT');
          if (end !== 'roll back') model = next;
          if (end === 'restart') writer = set.reopened();
          expect(set.keys()).toEqual(inOrder(model.values()));
          expect(sum(set.sizes())).toBe(model.size);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('keeps few keys in the first table, and in each other as many times more', () => {
    const set = newSet(1_000, 8);
    const writer = set.reopened();
    fill(set, writer, 8_000);
    const [first = 0, second = 0] = set.sizes();
    expect(first).toBeGreaterThan(85);
    expect(first).toBeLessThanOrEqual(93 + 8);
    expect(second).toBeGreaterThan(first * 8);
    expect(second).toBeLessThan(first * 10);
    expect(sum(set.sizes())).toBe(8_000);
  });

  test('keeps more keys in the first table when transactions add more', () => {
    const firstOf = (keysAtOnce: number) => {
      const set = newSet(1_000, 8);
      fill(set, set.reopened(), 8_000, { keysAtOnce });
      return set.sizes()[0] ?? 0;
    };
    expect(firstOf(80) / firstOf(10)).toBeCloseTo(4, 0);
  });

  test('settles about as many keys in a transaction as were added', () => {
    const set = newSet(32, 8);
    const writer = set.reopened();
    let before = 0;
    for (let at = 0; at < 4_000; at += 10) {
      fill(set, writer, 10, { from: at });
      const settled = set.sizes().at(-1) ?? 0;
      expect(settled - before).toBeLessThanOrEqual(10 + 3 * 8);
      before = settled;
    }
    expect(before).toBeGreaterThan(3_500);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Adds keys that come in no order. */
function fill(
  { database }: Set,
  writer: ReturnType<typeof levelWrites>,
  count: number,
  { from = 0, keysAtOnce = 10 } = {},
): void {
  for (let at = from; at < from + count; at += keysAtOnce) {
    database.exec('BEGIN');
    for (let seq = at; seq < at + keysAtOnce; seq += 1)
      writer.add((seq * 7_919) % 4_001, new Uint8Array([seq % 256]), seq);
    writer.settle(at + keysAtOnce);
    database.exec('COMMIT');
  }
}
