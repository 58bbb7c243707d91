import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { Records, Scalar } from '../../../domain/collections/records.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { pageBytes, planPage, recordsAmong, splitIndex, valueAt } from '../../record-pages.ts';
import { isBoolean, member as memberIn, quoted } from './tables.ts';

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
  return {
    async get(key) {
      const row = reader.prepare(`SELECT record FROM ${table} WHERE ${quoted(collection.key)} = ?`).get(key);
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
      const rows = reader
        .prepare(
          `SELECT record FROM ${table} WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
           ORDER BY ${columns.map((column) => `${column} ${sqlOrder}`)}
           LIMIT ${where.length === 0 ? limit + 1 : recordsLooked + 1}`,
        )
        .iterate(...conditions.flatMap(([, ...values]) => values.map(boundValue)));
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
      const rows = reader
        .prepare(
          `SELECT ${quoted(order[0])} AS value, count(*) AS count, coalesce(sum(${memberIn(member)}), 0) AS sum
           FROM ${table} WHERE ${['TRUE', ...conditions.map(([sql]) => sql)].join(' AND ')} GROUP BY value`,
        )
        .all(...conditions.flatMap(([, ...values]) => values.map(boundValue)));
      return new Map(
        rows.map(({ value, count, sum }) => [value as Scalar, { count: Number(count), sum: Number(sum) }]),
      );
    },

    among: (index, values, limit, then = []) =>
      recordsAmong(collection, { index, values, limit, then }, async (among, most) => {
        const direction = collection.order === 'ascending' ? 'ASC' : 'DESC';
        const column = (member: string) => `${table}.${quoted(member)}`;
        const [first, ...rest] = among.order;
        const fixed = among.equal.map(equals);
        const rows = reader
          .prepare(
            `SELECT record FROM json_each(?) AS wanted JOIN ${table} ON ${[`${column(first)} = wanted.value`, ...fixed.map(([sql]) => sql)].join(' AND ')}
             ORDER BY ${['wanted.key', ...rest.map((member) => `${column(member)} ${direction}`)]} LIMIT ?`,
          )
          .all(
            JSON.stringify(among.values),
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

export function recordOf<Item>({ name }: Collection, { record }: Record<string, SQLOutputValue>): Item {
  try {
    return JSON.parse(String(record)) as Item;
  } catch (cause) {
    const message = `A record of ${name} is damaged. Run "cairn fsck" to see which.`;
    throw new ServiceError('internal', message, { cause });
  }
}

/** SQLite returns booleans of JSON as numbers. */
export function boundValue(value: Scalar | undefined = null): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : value;
}
