import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

export interface LevelSizes {
  /** Keys that the first level may hold. */
  readonly first: number;
  /** Keys that move at once. */
  readonly slice: number;
}

export const usualLevelSizes: LevelSizes = { first: 32_768, slice: 1_024 };

const levelCount = 3;

/** The tables of a levelled set. */
export function levelsOf(name: string): string[] {
  return Array.from({ length: levelCount }, (_, level) => `${name}_${level}`);
}

/**
 * A set of keys that come in no order, such as hashes. In one large b-tree each of them would change a page of its
 * own, and every changed page is written with its transaction. So the set has levels: keys come into the first and
 * smallest one and move on from there, a slice of neighbours at a time, of which many fall on one page of the next
 * level. A key is in exactly one of the levels; the view with the name of the set shows all of them, and SQLite merges
 * their orders.
 * @param columns with their types; together they are the key. The first one is an integer from 0 to 2⁵³ - 2.
 */
export function createLevels(name: string, columns: readonly string[]): string {
  const names = columns.map((column) => column.split(' ')[0]).join(', ');
  const definitions = columns.map((column) => `${column} NOT NULL`).join(', ');
  const tables = levelsOf(name).map(
    (table) => `
   CREATE TABLE ${table} (${definitions}, PRIMARY KEY (${names})) STRICT, WITHOUT ROWID;
   INSERT INTO levels (name, size) VALUES ('${table}', 0);`,
  );
  const view = levelsOf(name).map((table) => `SELECT ${names} FROM ${table}`);
  return `${tables.join('')} CREATE VIEW ${name} AS ${view.join(' UNION ALL ')};`;
}

type Key = readonly SQLInputValue[];

export interface LevelledKeys {
  readonly name: string;
  readonly columns: readonly string[];
}

interface LevelledSet extends LevelledKeys {
  readonly sizes: LevelSizes;
}

/** Writes of such a set, for the thread that writes. */
export function levelWrites(
  database: DatabaseSync,
  { name, columns, sizes: { first: firstSize, slice: sliceSize } }: LevelledSet,
) {
  const tables = levelsOf(name);
  const key = columns.join(', ');
  const places = columns.map(() => '?').join(', ');
  const isKey = columns.map((column) => `${column} = ?`).join(' AND ');
  const insert = database.prepare(`INSERT OR IGNORE INTO ${name}_0 VALUES (${places})`);
  const removals = tables.map((table) => database.prepare(`DELETE FROM ${table} WHERE ${isKey}`));
  const sizeOf = database.prepare('SELECT size FROM levels WHERE name = ?');
  const grow = database.prepare('UPDATE levels SET size = size + ? WHERE name = ?');
  const steps = tables.slice(1).map((table, level) => {
    const slice = `FROM ${name}_${level} WHERE (${key}) > (${places}) AND (${key}) <= (${places})`;
    return {
      last: database.prepare(
        `SELECT ${key} FROM ${name}_${level} WHERE (${key}) > (${places})
         ORDER BY ${key} LIMIT 1 OFFSET ${sliceSize - 1}`,
      ),
      copy: database.prepare(`INSERT OR IGNORE INTO ${table} SELECT ${key} ${slice} ORDER BY ${key}`),
      remove: database.prepare(`DELETE ${slice}`),
    };
  });
  const start: Key = columns.map(() => -1);
  const end: Key = columns.map(() => Number.MAX_SAFE_INTEGER);
  /** Where the next slice of each level begins. Any place will do. */
  const reached = steps.map(() => start);
  let added = 0;

  /** @returns how many keys have moved on from a level. */
  function moveSlice(level: number): number {
    const step = steps[level];
    const from = reached[level];
    if (!step || !from) return 0;
    const last = step.last.get(...from);
    const to = last ? Object.values(last) : end;
    step.copy.run(...from, ...to);
    const moved = Number(step.remove.run(...from, ...to).changes);
    reached[level] = last ? to : start;
    return moved;
  }

  return {
    /** Forgets what was added by a write that failed. */
    begin(): void {
      added = 0;
    },

    /** Adds a key, which is in none of the later levels. */
    add(...values: Key): void {
      added += Number(insert.run(...values).changes);
    },

    remove(...values: Key): void {
      for (const [level, removal] of removals.entries())
        if (removal.run(...values).changes > 0) grow.run(-1, tables[level] ?? '');
    },

    /** Moves on about as many keys from each level as were added. */
    settle(): void {
      const sizes = tables.map((table) => Number(sizeOf.get(table)?.size));
      const total = sizes.reduce((sum, size) => sum + size, added);
      let incoming = added;
      added = 0;
      for (const [level, table] of tables.entries()) {
        const excess = (sizes[level] ?? 0) + incoming - capacity(level, total, firstSize);
        let moved = 0;
        for (let slices = Math.floor(excess / sliceSize); slices > 0; slices -= 1) moved += moveSlice(level);
        if (incoming !== moved) grow.run(incoming - moved, table);
        incoming = moved;
      }
    },
  };
}

/** Keys that a level may hold: each has as many times more than the one before, up to the last, which has the rest. */
function capacity(level: number, total: number, first: number): number {
  if (level === levelCount - 1) return Number.POSITIVE_INFINITY;
  return first * (Math.max(total, first) / first) ** (level / (levelCount - 1));
}
