import type { DatabaseSync } from 'node:sqlite';
import { firstName } from './entries.ts';

/** Names that are kept in memory. */
const namesKept = 10_000;

/** Numbers that stand for roles and kinds in `entries`, for the thread that writes. A name keeps its number. */
export function nameWrites(database: DatabaseSync) {
  const find = database.prepare('SELECT id FROM names WHERE name = ?');
  const insert = database.prepare(
    `INSERT INTO names (id, name) SELECT coalesce(max(id) + 1, ${firstName}), ? FROM names`,
  );
  const known = new Map<string, number>();
  return {
    /** Forgets what a transaction that failed may have taken back. */
    begin(): void {
      known.clear();
    },

    /** The number of a name, which gets one if need be. */
    numberOf(name: string): number {
      const kept = known.get(name);
      if (kept !== undefined) return kept;
      const number = Number(find.get(name)?.id ?? insert.run(name).lastInsertRowid);
      if (known.size < namesKept) known.set(name, number);
      return number;
    },
  };
}

/** The same on a connection that reads: what it sees of them stays as it is. */
export function nameReads(reader: DatabaseSync) {
  const find = reader.prepare('SELECT id FROM names WHERE name = ?');
  const read = reader.prepare('SELECT name FROM names WHERE id = ?');
  const numbers = new Map<string, number>();
  const names = new Map<number, string>();
  return {
    /** Undefined for a name that is nowhere in the index. */
    numberOf(name: string): number | undefined {
      const kept = numbers.get(name);
      if (kept !== undefined) return kept;
      const row = find.get(name);
      if (!row) return undefined;
      const number = Number(row.id);
      if (numbers.size < namesKept) numbers.set(name, number);
      return number;
    },

    /** Of a number that has no name yet it says so, and asks again the next time. */
    nameOf(number: number): string {
      const kept = names.get(number);
      if (kept !== undefined) return kept;
      const row = read.get(number);
      if (!row) return `number ${number}`;
      const name = String(row.name);
      if (names.size < namesKept) names.set(number, name);
      return name;
    },
  };
}
