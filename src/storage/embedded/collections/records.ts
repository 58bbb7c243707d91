import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { Expected, Members, Records, Scalar } from '../../../domain/collections/records.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { pageBytes, planPage, recordsAmong, splitIndex, valueAt } from '../../record-pages.ts';
import { boundLimit } from '../bound-limit.ts';
import type { Database } from '../database.ts';
import { isBoolean, member as memberIn, quoted } from './tables.ts';

export function embeddedRecords<Item extends object, Index extends string>(
  { reader, writes }: Database,
  collection: Collection,
): Records<Item, Index> {
  const table = quoted(collection.name);

  async function write(sql: string, values: readonly string[], key: string, expected: Expected<Item>) {
    const bound = boundTo(values, expected)(key);
    const statement = `${sql} ${where(expected)} RETURNING record`;
    const [row] = await writes.run('writeRecords', { sql: statement, values: [bound] });
    return row;
  }

  function where(expected: Expected<Item>): string {
    const conditions = Object.keys(expected).map((name) => ` AND record ->> ${path(name)} IS ?`);
    return `WHERE ${quoted(collection.key)} = ?${conditions.join('')}`;
  }

  function boundTo(values: readonly string[], expected: Expected<Item>) {
    const conditions = Object.values(expected as Members).map(boundValue);
    return (key: string) => [...values, key, ...conditions];
  }

  function changing(change: Partial<Item>) {
    const members = Object.keys(change).map((name) => `, ${path(name)}, json(?)`);
    return {
      sql: `UPDATE OR IGNORE ${table} SET record = json_set(record${members.join('')})`,
      values: Object.values(change).map((value) => JSON.stringify(value)),
    };
  }

  /** With one statement, because the full-text index flushes what it has before each statement with a trigger. */
  async function insertTogether(records: readonly Item[]): Promise<boolean[]> {
    const sql = `INSERT INTO ${table} (record) SELECT value FROM json_each(?) WHERE true
      ON CONFLICT DO NOTHING RETURNING ${quoted(collection.key)} AS key`;
    const texts = records.map((record) => JSON.stringify(record));
    const added = new Set(await writes.run('insertRecords', { sql, records: texts }));
    return records.map((record) => added.delete(String((record as Members)[collection.key])));
  }

  return {
    ...recordReads<Item, Index>(reader, collection),

    async insert(records) {
      if (records.length === 0) return [];
      if (collection.terms) return await insertTogether(records);
      const sql = `INSERT INTO ${table} (record) VALUES (?) ON CONFLICT DO NOTHING`;
      const values = records.map((record) => [JSON.stringify(record)]);
      return await writes.run('changeRecords', { sql, values });
    },

    async update(key, expected, change) {
      const { sql, values } = changing(change);
      const row = await write(sql, values, key, expected);
      return row && recordOf<Item>(collection, row);
    },

    async updateAll(keys, expected, change) {
      if (keys.length === 0) return;
      const { sql, values } = changing(change);
      const runs = keys.map(boundTo(values, expected));
      await writes.run('changeRecords', { sql: `${sql} ${where(expected)}`, values: runs });
    },

    async remove(key, expected = {}) {
      return (await write(`DELETE FROM ${table}`, [], key, expected)) !== undefined;
    },
  };
}

function path(member: string): string {
  return `'$.${quoted(member)}'`;
}

/** The most records read for one page, because reading blocks the event loop. */
const recordsLooked = 1_000;
/** After reading this many bytes, other requests get a turn. */
const largeBytes = 1 << 16;

export function recordReads<Item extends object, Index extends string>(
  reader: DatabaseSync,
  collection: Collection,
): Pick<Records<Item, Index>, 'get' | 'page' | 'totals' | 'among'> {
  const table = quoted(collection.name);
  const itemOf = (row: Record<string, SQLOutputValue>) => recordOf<Item>(collection, row);
  // Preparing takes longer than most reads. There are few different texts, because values are bound.
  const known = new Map<string, StatementSync>();
  const prepared = (sql: string) => known.getOrInsertComputed(sql, () => reader.prepare(sql));
  return {
    async get(key) {
      const row = prepared(`SELECT record FROM ${table} WHERE ${quoted(collection.key)} = ?`).get(key);
      return row && itemOf(row);
    },

    async page(index, prefix, request) {
      const { limit, range } = request;
      const plan = planPage(collection, index, prefix, request);
      const { equal, order, direction, place, where } = plan;
      const columns = order.map(quoted);
      const [sign, sqlOrder] = direction === 'ascending' ? ['>', 'ASC'] : ['<', 'DESC'];
      const conditions: (readonly [sql: string, ...values: Scalar[]])[] = [
        ...equal.map(equals),
        ...columns.map((column) => [`${column} IS NOT NULL`] as const),
      ];
      if (range?.from != null) conditions.push([`${columns[0]} >= ?`, range.from]);
      if (range?.until != null) conditions.push([`${columns[0]} < ?`, range.until]);
      if (place) conditions.push([`(${columns}) ${sign} (${place.map(() => '?')})`, ...place]);
      const rows = prepared(
        `SELECT record FROM ${table} WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
         ORDER BY ${columns.map((column) => `${column} ${sqlOrder}`)} ${boundLimit}`,
      ).iterate(
        ...conditions.flatMap(([, ...values]) => values.map(boundValue)),
        where.length === 0 ? limit + 1 : recordsLooked + 1,
      );
      const records: Item[] = [];
      let [last, looked, bytes]: [Item | undefined, number, number] = [undefined, 0, 0];
      let isCut = false;
      for (const row of rows) {
        isCut = records.length === limit || looked === recordsLooked || bytes >= pageBytes;
        if (isCut) break;
        looked += 1;
        bytes += Buffer.byteLength(String(row.record));
        const item = itemOf(row);
        last = item;
        if (where.every(([member, value]) => valueAt(item, member) === value)) records.push(item);
      }
      if (bytes >= largeBytes) await yieldToEventLoop();
      return plan.page(records, last, isCut);
    },

    async totals(index, prefix, member) {
      const { equal, order } = splitIndex(collection, index, prefix);
      const conditions = equal.map(equals);
      const rows = prepared(
        `SELECT ${quoted(order[0])} AS value, count(*) AS count, coalesce(sum(${memberIn(member)}), 0) AS sum
           FROM ${table} WHERE ${['TRUE', ...conditions.map(([sql]) => sql)].join(' AND ')} GROUP BY value`,
      ).all(...conditions.flatMap(([, ...values]) => values.map(boundValue)));
      return new Map(
        rows.map(({ value, count, sum }) => [value as Scalar, { count: Number(count), sum: Number(sum) }]),
      );
    },

    among: (index, values, limit, then = []) =>
      recordsAmong(collection, { index, values, limit, then }, async (among, most) => {
        const direction = collection.order === 'ascending' ? 'ASC' : 'DESC';
        const column = (member: string) => `${table}.${quoted(member)}`;
        const [first, ...rest] = among.order;
        // Many stores have no folders, or no blobs, and a lineage asks for those of each artefact.
        if (!prepared(`SELECT 1 FROM ${table} LIMIT 1`).get()) return [];
        const fixed = among.equal.map(equals);
        const [value] = among.values;
        // A table of values takes longer than the rest of the query, and most queries have one value.
        const isOne = among.values.length === 1 && typeof value === 'string';
        const [from, wanted] = isOne
          ? [table, '?']
          : [`json_each(?) AS wanted CROSS JOIN ${table}`, 'wanted.value'];
        const order = among.values.length === 1 ? rest.map((member) => `${column(member)} ${direction}`) : [];
        const conditions = [`${column(first)} = ${wanted}`, ...fixed.map(([sql]) => sql)].join(' AND ');
        const rows = prepared(
          `SELECT record FROM ${from} ${isOne ? 'WHERE' : 'ON'} ${conditions}
             ${order.length > 0 ? `ORDER BY ${order}` : ''} ${boundLimit}`,
        ).all(
          isOne ? value : JSON.stringify(among.values),
          ...fixed.flatMap(([, ...values]) => values.map(boundValue)),
          most,
        );
        return rows.map(itemOf);
      }),
  };
}

/** Booleans stand in the query itself, because SQLite compares it with the conditions of partial indexes. */
function equals([member, value]: readonly [string, Scalar]): readonly [sql: string, ...values: Scalar[]] {
  return typeof value === 'boolean' ? [isBoolean(member, value)] : [`${quoted(member)} IS ?`, value];
}

function recordOf<Item>({ name, defaults }: Collection, { record }: Record<string, SQLOutputValue>): Item {
  try {
    const read = JSON.parse(String(record));
    return defaults === null ? read : { ...defaults, ...read };
  } catch (cause) {
    const message = `A record of ${name} is damaged. Run "cairn fsck" to see which.`;
    throw new ServiceError('internal', message, { cause });
  }
}

/** SQLite returns booleans of JSON as numbers. */
function boundValue(value: Scalar | undefined = null): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : value;
}
