import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/**
 * A set of keys that arrive in random order, such as hashes. In one large b-tree each key would change a page of its own,
 * and every transaction writes its changed pages. So keys first go into a small b-tree. From there they move to the large
 * one, a slice of neighbours at a time, many to a page. A key is in one of the two tables. The view with the name of the
 * set shows both, and SQLite merges their orders.
 */
export interface LevelledSet {
  readonly name: string;
  /** The key. The first column is an integer from 0 to 2⁵³ - 2, the last one the number of the statement. */
  readonly columns: readonly string[];
  /** Number of keys for 1,000 statements. */
  readonly keys: number;
}

const usualSlice = 1_024;

export function recentKeys({ name }: LevelledSet): string {
  return `${name}_recent`;
}

export function settledKeys({ name }: LevelledSet): string {
  return `${name}_settled`;
}

export function createLevels(set: LevelledSet, types: readonly string[]): string {
  const key = set.columns.join(', ');
  const definitions = set.columns.map((column, at) => `${column} ${types[at]} NOT NULL`).join(', ');
  const tables = [recentKeys(set), settledKeys(set)];
  return `${tables
    .map((table) => `CREATE TABLE ${table} (${definitions}, PRIMARY KEY (${key})) STRICT, WITHOUT ROWID;`)
    .join('\n')}
   CREATE VIEW ${set.name} AS ${tables.map((table) => `SELECT ${key} FROM ${table}`).join(' UNION ALL ')};`;
}

type Key = readonly SQLInputValue[];

export function levelWrites(database: DatabaseSync, set: LevelledSet, slice = usualSlice) {
  const [recent, settled] = [recentKeys(set), settledKeys(set)];
  const key = set.columns.join(', ');
  const places = set.columns.map(() => '?').join(', ');
  const range = `FROM ${recent} WHERE (${key}) > (${places}) AND (${key}) <= (${places})`;
  const insert = database.prepare(`INSERT OR IGNORE INTO ${recent} VALUES (${places})`);
  const removals = [recent, settled].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE (${key}) = (${places})`),
  );
  const count = database.prepare(`SELECT count(*) AS keys FROM ${recent}`);
  const sliceEnd = database.prepare(
    `SELECT ${key} FROM ${recent} WHERE (${key}) > (${places}) ORDER BY ${key} LIMIT 1 OFFSET ${slice - 1}`,
  );
  const copy = database.prepare(`INSERT OR IGNORE INTO ${settled} SELECT ${key} ${range} ORDER BY ${key}`);
  const drop = database.prepare(`DELETE ${range}`);
  const start: Key = set.columns.map(() => -1);
  const end: Key = set.columns.map(() => Number.MAX_SAFE_INTEGER);
  const counted = () => Number(count.get()?.keys);
  let reached = start;
  /** The approximate number of recent keys. Failed writes make it inexact, so each round counts again. */
  let size = counted();

  function moveSlice(): void {
    const last = sliceEnd.get(...reached);
    const to = last ? Object.values(last) : end;
    copy.run(...reached, ...to);
    size -= Number(drop.run(...reached, ...to).changes);
    reached = last ? to : start;
    if (!last) size = counted();
  }

  return {
    /** Adds a key. It must not be in the set. */
    add(...values: Key): void {
      size += Number(insert.run(...values).changes);
    },

    remove(...values: Key): void {
      for (const removal of removals) removal.run(...values);
    },

    /**
     * Moves slices while too many keys are recent. The bound grows with the square root of the number of statements, so
     * that a transaction changes about as many pages of one table as of the other.
     */
    settle(statements: number): void {
      const most = set.keys * Math.max(Math.sqrt(statements / 1_000), 1);
      while (size > most + slice) moveSlice();
    },
  };
}

export type LevelWrites = ReturnType<typeof levelWrites>;
