import type { DatabaseSync } from 'node:sqlite';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { TermSearch } from '../../../domain/collections/term-search.ts';
import { throwBadCursor } from '../../../domain/cursors.ts';
import { quoted, termTable } from './tables.ts';

export function embeddedTermSearch<Item>(
  reader: DatabaseSync,
  { name, terms }: Collection,
): TermSearch<Item> {
  if (!terms) throw new TypeError(`The collection ${name} has no terms.`);
  const [table, index] = [quoted(name), quoted(termTable(name))];
  return {
    async matching(sets, { after, limit }) {
      const before = after === null ? Number.MAX_SAFE_INTEGER : Number(after);
      if (!Number.isSafeInteger(before)) throwBadCursor();
      const match = sets.map((set) => `(${set.map((term) => `"${term}"`).join(' OR ')})`).join(' AND ');
      const rows = reader
        .prepare(
          `SELECT ${index}.rowid AS mark, record FROM ${index} JOIN ${table} ON ${table}.rowid = ${index}.rowid
           WHERE ${index} MATCH ? AND ${index}.rowid < ? ORDER BY ${index}.rowid DESC LIMIT ?`,
        )
        .all(match, before, limit + 1);
      const found = rows.slice(0, limit).map(({ mark, record }) => ({
        record: JSON.parse(String(record)) as Item,
        mark: String(mark),
      }));
      return { found, isLast: rows.length <= limit };
    },
  };
}
