import type { DatabaseSync } from 'node:sqlite';
import type { Collection } from '../../../domain/collections/collection.ts';

/**
 * Creates missing tables, columns and indexes. A table holds the records as JSON. Indexed members are virtual columns,
 * so they cannot differ from the record.
 */
export function createTables(database: DatabaseSync, collections: readonly Collection[]): void {
  for (const declared of collections) {
    const { name, key, unique, indexes } = declared;
    database.exec(`CREATE TABLE IF NOT EXISTS ${quoted(name)} (record TEXT NOT NULL) STRICT`);
    for (const column of missingColumns(database, declared))
      database.exec(`ALTER TABLE ${quoted(name)} ADD COLUMN ${virtual(column)}`);
    const ordered = Object.entries(indexes).filter(([, { length }]) => length > 0);
    for (const [index, members] of Object.entries({ ...unique, key: [key] }))
      createIndex(database, { kind: 'UNIQUE INDEX', table: name, index, members });
    for (const [index, members] of ordered)
      if (!(index in unique))
        createIndex(database, { kind: 'INDEX', table: name, index, members: [...members, key] });
  }
}

export function hasTables(database: DatabaseSync, collections: readonly Collection[]): boolean {
  return collections.every((declared) => missingColumns(database, declared).length === 0);
}

function missingColumns(database: DatabaseSync, { name, key, indexes }: Collection): string[] {
  const columns = database.prepare(`PRAGMA table_xinfo(${quoted(name)})`).all();
  const there = new Set(columns.map((column) => column.name));
  return [...new Set([key, ...Object.values(indexes).flat()])].filter((name) => !there.has(name));
}

function virtual(name: string): string {
  return `${quoted(name)} ANY AS (${member(name)}) VIRTUAL`;
}

/** A member of a record as an SQL expression. It is null in a damaged record. */
export function member(name: string): string {
  return `CASE WHEN json_valid(record) THEN record ->> '$.${name}' END`;
}

interface TableIndex {
  readonly kind: 'INDEX' | 'UNIQUE INDEX';
  readonly table: string;
  readonly index: string;
  readonly members: readonly string[];
}

function createIndex(database: DatabaseSync, { kind, table, index, members }: TableIndex): void {
  const columns = members.map(quoted).join(', ');
  database.exec(
    `CREATE ${kind} IF NOT EXISTS ${quoted(`${table}_${index}`)} ON ${quoted(table)} (${columns})`,
  );
}

/** A name from a declaration as an SQL identifier. */
export function quoted(name: string): string {
  if (!/^[a-z]\w*(?:\.[a-z]\w*)?$/i.test(name)) throw new TypeError(`${name} cannot name a member.`);
  return `"${name}"`;
}
