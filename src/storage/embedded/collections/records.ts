import type { Collection } from '../../../domain/collections/collection.ts';
import type { Expected, Members, Records } from '../../../domain/collections/records.ts';
import type { Database } from '../database.ts';
import { boundValue, recordOf, recordReads } from './record-reads.ts';
import { quoted } from './tables.ts';

export function embeddedRecords<Item extends object, Index extends string>(
  { reader, writes }: Database,
  collection: Collection,
): Records<Item, Index> {
  const table = quoted(collection.name);

  async function write(sql: string, values: readonly string[], key: string, expected: Expected<Item>) {
    const conditions = Object.keys(expected).map((name) => ` AND record ->> ${path(name)} IS ?`);
    const bound = [...values, key, ...Object.values(expected as Members).map(boundValue)];
    const where = `WHERE ${quoted(collection.key)} = ?${conditions.join('')} RETURNING record`;
    const [row] = await writes.run('writeRecords', { sql: `${sql} ${where}`, values: [bound] });
    return row;
  }

  return {
    ...recordReads<Item, Index>(reader, collection),

    async insert(records) {
      if (records.length === 0) return [];
      const sql = `INSERT INTO ${table} (record) VALUES (?) ON CONFLICT DO NOTHING`;
      const values = records.map((record) => [JSON.stringify(record)]);
      return await writes.run('insertRecords', { sql, values });
    },

    async update(key, expected, change) {
      const members = Object.keys(change).map((name) => `, ${path(name)}, json(?)`);
      const sql = `UPDATE OR IGNORE ${table} SET record = json_set(record${members.join('')})`;
      const values = Object.values(change).map((value) => JSON.stringify(value));
      const row = await write(sql, values, key, expected);
      return row && recordOf<Item>(collection, row);
    },

    async remove(key, expected = {}) {
      return (await write(`DELETE FROM ${table}`, [], key, expected)) !== undefined;
    },
  };
}

function path(member: string): string {
  return `'$.${quoted(member)}'`;
}
