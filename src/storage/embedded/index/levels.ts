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
/** A transaction counts with the keys of at most this many statements. A larger first table would slow inserts down. */
const mostStatements = 90;
/** The mean covers about this many transactions. */
const transactionsInMean = 16;

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

    /** @param limit of keys to move. @returns the number of moved keys. */
    moveDownTo(most: number, limit: number): number {
      let moved = 0;
      while (size > most + slice && moved < limit) moved += moveSlice();
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
  let added = 0;
  const mostAdded = (set.keys * mostStatements) / 1_000;
  let meanAdded = mostAdded;
  const moves = tables.slice(1).map((to, at) => levelMoves(database, set, slice, [tables[at] ?? '', to]));

  return {
    /** Adds a key that the set did not have before this write. Adding it again changes nothing. */
    add(...values: Key): void {
      const { changes } = insert.run(...values);
      moves[0]?.grow(Number(changes));
      added += Number(changes);
    },

    remove(...values: Key): void {
      for (const removal of removals) removal.run(...values);
    },

    /**
     * Moves slices while a table has too many keys. To be called at the end of a transaction.
     *
     * A transaction changes most pages of the first table. If that is smaller, it changes fewer, but moves change more of
     * the others. The balance is a first table of ∛(all keys × added keys²). Each other table is as many times larger than
     * the one before.
     */
    settle(statements: number): void {
      if (added === 0) return;
      meanAdded += (Math.min(added, mostAdded) - meanAdded) / transactionsInMean;
      const all = set.keys * Math.max(statements / 1_000, 1);
      const first = Math.cbrt(all * meanAdded ** 2);
      const growth = (all / first) ** (1 / moves.length);
      for (const [at, level] of moves.entries()) {
        // The limit keeps the first single write after many batches from moving most of the first table.
        const moved = level.moveDownTo(first * growth ** at, 2 * added);
        moves[at + 1]?.grow(moved);
      }
      added = 0;
    },
  };
}
