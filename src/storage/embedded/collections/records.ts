import type { SQLOutputValue } from 'node:sqlite';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { Expected, Members, Records } from '../../../domain/collections/records.ts';
import type { Database } from '../database.ts';
import { boundValue, EmbeddedRecordReads } from './record-reads.ts';
import { quoted } from './tables.ts';

/** The records of a collection as rows of JSON. */
export class EmbeddedRecords<Item extends object, Index extends string>
  extends EmbeddedRecordReads<Item, Index>
  implements Records<Item, Index>
{
  readonly #writes: Database['writes'];

  constructor({ reader, writes }: Database, collection: Collection) {
    super(reader, collection);
    this.#writes = writes;
  }

  async insert(records: readonly Item[]): Promise<boolean[]> {
    if (records.length === 0) return [];
    const sql = `INSERT INTO ${this.table} (record) VALUES (?) ON CONFLICT DO NOTHING RETURNING 1`;
    const values = records.map((record) => [JSON.stringify(record)]);
    return (await this.#writes.run('writeRecords', { sql, values })).map((row) => row !== undefined);
  }

  async update(key: string, expected: Expected<Item>, change: Partial<Item>): Promise<Item | undefined> {
    const members = Object.keys(change).map((name) => `, ${path(name)}, json(?)`);
    const row = await this.#write(
      `UPDATE OR IGNORE ${this.table} SET record = json_set(record${members.join('')})`,
      Object.values(change).map((value) => JSON.stringify(value)),
      { key, expected },
      'record',
    );
    return row && this.itemOf(row);
  }

  async remove(key: string, expected: Expected<Item> = {}): Promise<boolean> {
    return (await this.#write(`DELETE FROM ${this.table}`, [], { key, expected }, '1')) !== undefined;
  }

  async #write(
    sql: string,
    values: readonly string[],
    { key, expected }: { readonly key: string; readonly expected: Expected<Item> },
    returned: string,
  ): Promise<Record<string, SQLOutputValue> | undefined> {
    const conditions = Object.keys(expected).map((name) => ` AND record ->> ${path(name)} IS ?`);
    const bound = [...values, key, ...Object.values(expected as Members).map(boundValue)];
    const where = `WHERE ${this.key} = ?${conditions.join('')} RETURNING ${returned}`;
    const [row] = await this.#writes.run('writeRecords', { sql: `${sql} ${where}`, values: [bound] });
    return row;
  }
}

function path(member: string): string {
  return `'$.${quoted(member)}'`;
}
