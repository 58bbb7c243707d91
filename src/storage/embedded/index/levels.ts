import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/**
 * A set of keys that arrive in random order, such as hashes. In one large b-tree each key would change a page of its own,
 * and every transaction writes its changed pages. So keys first go into a small b-tree. From there they move to a larger
 * one and then to the largest, a slice of neighbours at a time, many to a page. A key is in one of the tables. The view
 * with the name of the set shows all, and SQLite merges their orders.
 */
export interface LevelledSet {
  readonly name: string;
  /** The key. The first column is an integer from 0 to 2⁵³ - 2, the last one the number of the statement. */
  readonly columns: readonly string[];
  /** The usual number of keys of 1,000 statements. */
  readonly keys: number;
}

const usualSlice = 1_024;
const levels = ['new', 'recent', 'settled'];
/** Of the keys of 1,000 statements. With more, single writes change more pages; with fewer, moves do. */
const firstShare = 0.2;

/** From the smallest to the largest. */
export function levelTables({ name }: Pick<LevelledSet, 'name'>): string[] {
  return levels.map((level) => `${name}_${level}`);
}

export function createLevels(set: LevelledSet, types: readonly string[]): string {
  const key = set.columns.join(', ');
  const definitions = set.columns.map((column, at) => `${column} ${types[at]} NOT NULL`).join(', ');
  const tables = levelTables(set);
  return `${tables
    .map((table) => `CREATE TABLE ${table} (${definitions}, PRIMARY KEY (${key})) STRICT, WITHOUT ROWID;`)
    .join('\n')}
   CREATE VIEW ${set.name} AS ${tables.map((table) => `SELECT ${key} FROM ${table}`).join(' UNION ALL ')};`;
}

type Key = readonly SQLInputValue[];

/** Moves keys from one table to the next larger one. */
function levelMoves(
  database: DatabaseSync,
  { columns }: LevelledSet,
  slice: number,
  [from, to]: readonly [string, string],
) {
  const key = columns.join(', ');
  const places = columns.map(() => '?').join(', ');
  const range = `FROM ${from} WHERE (${key}) > (${places}) AND (${key}) <= (${places})`;
  const count = database.prepare(`SELECT count(*) AS keys FROM ${from}`);
  const sliceEnd = database.prepare(
    `SELECT ${key} FROM ${from} WHERE (${key}) > (${places}) ORDER BY ${key} LIMIT 1 OFFSET ${slice - 1}`,
  );
  const copy = database.prepare(`INSERT OR IGNORE INTO ${to} SELECT ${key} ${range} ORDER BY ${key}`);
  const drop = database.prepare(`DELETE ${range}`);
  const start: Key = columns.map(() => -1);
  const end: Key = columns.map(() => Number.MAX_SAFE_INTEGER);
  const counted = () => Number(count.get()?.keys);
  let reached = start;
  /** The approximate number of keys. Failed writes make it inexact, so each round counts again. */
  let size = counted();

  function moveSlice(): number {
    const last = sliceEnd.get(...reached);
    const until = last ? Object.values(last) : end;
    copy.run(...reached, ...until);
    const moved = Number(drop.run(...reached, ...until).changes);
    size -= moved;
    reached = last ? until : start;
    if (!last) size = counted();
    return moved;
  }

  return {
    grow(keys: number): void {
      size += keys;
    },

    /** @returns the number of moved keys. */
    moveDownTo(most: number): number {
      let moved = 0;
      while (size > most + slice) moved += moveSlice();
      return moved;
    },
  };
}

export function levelWrites(database: DatabaseSync, set: LevelledSet, slice = usualSlice) {
  const tables = levelTables(set);
  const key = set.columns.join(', ');
  const places = set.columns.map(() => '?').join(', ');
  const insert = database.prepare(`INSERT OR IGNORE INTO ${tables[0]} VALUES (${places})`);
  const removals = tables.map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE (${key}) = (${places})`),
  );
  const moves = tables.slice(1).map((to, at) => levelMoves(database, set, slice, [tables[at] ?? '', to]));

  return {
    /** Adds a key that the set did not have before this write. Adding it again changes nothing. */
    add(...values: Key): void {
      moves[0]?.grow(Number(insert.run(...values).changes));
    },

    remove(...values: Key): void {
      for (const removal of removals) removal.run(...values);
    },

    /**
     * Moves slices while a table has too many keys. The first table grows with the cube root of the number of statements,
     * and each other is as many times larger than the one before, so that moves change about as many pages of one as of
     * another.
     */
    settle(statements: number): void {
      const thousands = Math.max(statements / 1_000, 1);
      const first = set.keys * firstShare * Math.cbrt(thousands);
      const growth = ((set.keys * thousands) / first) ** (1 / moves.length);
      for (const [at, level] of moves.entries()) {
        const moved = level.moveDownTo(first * growth ** at);
        moves[at + 1]?.grow(moved);
      }
    },
  };
}

export type LevelWrites = ReturnType<typeof levelWrites>;
