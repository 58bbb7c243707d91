import type { DatabaseSync } from 'node:sqlite';
import type { Collection, Fixed } from '../../../domain/collections/collection.ts';

/**
 * Creates missing tables, columns and indexes. A table holds the records as JSON. Indexed members are virtual columns,
 * so they cannot differ from the record.
 */
export function createTables(database: DatabaseSync, collections: readonly Collection[]): void {
  for (const declared of collections) {
    const { name, key, unique, indexes, partial } = declared;
    const columns = [
      // The terms of a record have its number.
      ...(declared.terms ? ['position INTEGER PRIMARY KEY'] : []),
      'record TEXT NOT NULL',
      ...membersOf(declared).map(virtual),
    ];
    database.exec(`CREATE TABLE IF NOT EXISTS ${quoted(name)} (${columns.join(', ')}) STRICT`);
    for (const column of missingColumns(database, declared))
      database.exec(`ALTER TABLE ${quoted(name)} ADD COLUMN ${virtual(column)}`);
    const create = (kind: string, index: string, members: readonly string[], where = '') => {
      const named = `${quoted(`${name}_${index}`)} ON ${quoted(name)} (${members.map(quoted).join(', ')})`;
      database.exec(`CREATE ${kind} IF NOT EXISTS ${named}${where}`);
    };
    for (const [index, members] of Object.entries({ ...unique, key: [key] }))
      create('UNIQUE INDEX', index, members);
    for (const [index, members] of Object.entries(indexes))
      if (members.length > 0 && !(index in unique))
        create('INDEX', index, [...members, key], conditionOf(partial[index]));
    if (declared.terms) createTermTable(database, name);
  }
}

/** The full-text index of the terms of records. Triggers keep it, whoever writes a record. */
function createTermTable(database: DatabaseSync, name: string): void {
  const [table, index] = [quoted(name), quoted(termTable(name))];
  const add = `INSERT INTO ${index} (rowid, terms) VALUES (new.rowid, record_terms('${name}', new.record));`;
  const drop = `DELETE FROM ${index} WHERE rowid = old.rowid;`;
  const trigger = (event: string, work: string) =>
    `CREATE TRIGGER IF NOT EXISTS ${quoted(`${termTable(name)}_${event}`)} AFTER ${event} ON ${table} BEGIN ${work} END;`;
  database.exec(
    `CREATE VIRTUAL TABLE IF NOT EXISTS ${index}
       USING fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
     ${trigger('insert', add)} ${trigger('delete', drop)} ${trigger('update', `${drop} ${add}`)}`,
  );
}

export function termTable(name: string): string {
  return `${name}_terms`;
}

function conditionOf(fixed: Fixed = {}): string {
  const conditions = Object.entries(fixed).map(([name, value]) => isBoolean(name, value));
  return conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
}

/** A condition with its value, as queries by partial indexes need it. */
export function isBoolean(name: string, value: boolean): string {
  return `${quoted(name)} IS ${Number(value)}`;
}

export function hasTables(database: DatabaseSync, collections: readonly Collection[]): boolean {
  return collections.every((declared) => missingColumns(database, declared).length === 0);
}

function missingColumns(database: DatabaseSync, declared: Collection): string[] {
  const columns = database.prepare(`PRAGMA table_xinfo(${quoted(declared.name)})`).all();
  const there = new Set(columns.map((column) => column.name));
  return membersOf(declared).filter((name) => !there.has(name));
}

function membersOf({ key, indexes, partial }: Collection): string[] {
  const fixed = Object.values(partial).flatMap((members = {}) => Object.keys(members));
  return [...new Set([key, ...Object.values(indexes).flat(), ...fixed])];
}

function virtual(name: string): string {
  return `${quoted(name)} ANY AS (${member(name)}) VIRTUAL`;
}

/** A member of a record as an SQL expression. It is null in a damaged record. */
export function member(name: string): string {
  return `CASE WHEN json_valid(record) THEN record ->> '$.${name}' END`;
}

/** A name from a declaration as an SQL identifier. */
export function quoted(name: string): string {
  if (!/^[a-z]\w*(?:\.[a-z]\w*)?$/i.test(name)) throw new TypeError(`${name} cannot name a member.`);
  return `"${name}"`;
}
