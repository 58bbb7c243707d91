import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { repairable } from '../../../domain/maintenance/fsck/problems.ts';
import { type LevelledKeys, levelsOf } from '../index/levels.ts';
import type { Row } from '../statements/statement-rows.ts';
import { type Found, settled } from './repairs.ts';

const pageKeys = 2_048;

/** A key of a levelled set; `seq` is its last column. */
export interface IndexKey {
  readonly values: readonly SQLInputValue[];
  readonly seq: number;
  /** Equal for equal keys alone. */
  readonly name: string;
}

export function indexKey(...values: readonly SQLInputValue[]): IndexKey {
  const plain = values.map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  );
  return { values, seq: Number(values.at(-1)), name: JSON.stringify(plain) };
}

/** A levelled set as fsck looks at it: which level has a key makes no difference. */
export function levelledSetFsck(reader: DatabaseSync, writer: DatabaseSync, { name, columns }: LevelledKeys) {
  const tables = levelsOf(name);
  const key = columns.join(', ');
  const places = columns.map(() => '?').join(', ');
  const isKey = `(${key}) = (${places})`;
  const one = reader.prepare(`SELECT 1 FROM ${name} WHERE ${isKey}`);
  const counts = tables.map((table) => reader.prepare(`SELECT count(*) AS keys FROM ${table}`));
  const page = reader.prepare(
    `SELECT ${key}, count(*) AS times FROM ${name} WHERE (${key}) > (${places})
     GROUP BY ${key} ORDER BY ${key} LIMIT ${pageKeys}`,
  );
  const insert = writer.prepare(`INSERT INTO ${tables[0]} VALUES (${places})`);
  const removals = tables.map((table) => writer.prepare(`DELETE FROM ${table} WHERE ${isKey}`));

  return {
    name,
    has: ({ values }: IndexKey): boolean => one.get(...values) !== undefined,
    count: (): number => counts.reduce((sum, count) => sum + Number(count.get()?.keys), 0),
    /** The numbers of keys that the levels are said to have are put right afterwards. */
    add: ({ values }: IndexKey): void => void insert.run(...values),
    remove({ values }: IndexKey): void {
      for (const removal of removals) removal.run(...values);
    },

    /** All keys in their order, and how many levels have each. */
    *pages(): Generator<readonly { readonly key: IndexKey; readonly times: number }[]> {
      let last: readonly SQLInputValue[] = columns.map(() => -1);
      for (let rows = page.all(...last); rows.length > 0; rows = page.all(...last)) {
        const keys = rows.map((row: Row) => ({
          key: indexKey(...columns.map((column) => row[column] as SQLInputValue)),
          times: Number(row.times),
        }));
        last = keys.at(-1)?.key.values ?? last;
        yield keys;
      }
    },
  };
}

export type LevelledSetFsck = ReturnType<typeof levelledSetFsck>;

/** How many keys each level is said to have: by this they move on. */
export function* fsckLevelSizes(
  reader: DatabaseSync,
  writer: DatabaseSync,
  { name }: LevelledKeys,
  repair: boolean,
): Generator<StoreProblem> {
  const size = reader.prepare('SELECT size FROM levels WHERE name = ?');
  const update = writer.prepare(
    'INSERT INTO levels (name, size) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET size = ?2',
  );
  const found = levelsOf(name).flatMap((table): Found[] => {
    const said = size.get(table)?.size;
    const counted = Number(reader.prepare(`SELECT count(*) AS keys FROM ${table}`).get()?.keys);
    if (said === counted) return [];
    const problem = `It is said to have ${said} keys, and has ${counted}`;
    return [
      {
        problem: (isRepaired) => repairable('count', table, problem, isRepaired),
        fix: () => void update.run(table, counted),
      },
    ];
  });
  yield* settled(writer, found, repair);
}
