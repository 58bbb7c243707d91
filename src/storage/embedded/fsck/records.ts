import type { DatabaseSync } from 'node:sqlite';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { RecordEntry } from '../../../domain/maintenance/contents.ts';
import { valueAt } from '../../record-pages.ts';
import { quoted } from '../collections/tables.ts';

const pageRows = 500;

/** The records of a collection as they are stored. */
export function* recordPages(
  reader: DatabaseSync,
  { name, key }: Collection,
): Generator<readonly RecordEntry[]> {
  const page = reader.prepare(
    `SELECT rowid, record FROM ${quoted(name)} WHERE rowid > ? ORDER BY rowid LIMIT ${pageRows}`,
  );
  for (let rows = page.all(0); rows.length > 0; rows = page.all(Number(rows.at(-1)?.rowid)))
    yield rows.map(({ rowid, record }) => entryOf(`row ${rowid}`, String(record), key));
}

export function removeRecord(writer: DatabaseSync, { name, key }: Collection, value: string): void {
  writer.prepare(`DELETE FROM ${quoted(name)} WHERE ${quoted(key)} = ?`).run(value);
}

export function putRecord(writer: DatabaseSync, declared: Collection, record: object): void {
  removeRecord(writer, declared, String(valueAt(record, declared.key)));
  writer.prepare(`INSERT INTO ${quoted(declared.name)} (record) VALUES (?)`).run(JSON.stringify(record));
}

function entryOf(place: string, text: string, key: string): RecordEntry {
  try {
    const record = JSON.parse(text);
    return { id: String(valueAt(record, key) ?? place), record };
  } catch {
    return { id: place, record: undefined };
  }
}
