import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { Page, PageRequest, Records, Scalar } from '../../../domain/collections/records.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { planPage, valueAt } from '../../record-pages.ts';
import { quoted } from './tables.ts';

/** Records that are looked at for a page: reading holds the event loop. */
const recordsLooked = 1_000;

/** Reads the records of a collection. */
export class EmbeddedRecordReads<Item extends object, Index extends string>
  implements Pick<Records<Item, Index>, 'get' | 'page'>
{
  protected readonly table: string;
  protected readonly key: string;
  readonly #reader: DatabaseSync;
  readonly #collection: Collection;

  constructor(reader: DatabaseSync, collection: Collection) {
    this.table = quoted(collection.name);
    this.key = quoted(collection.key);
    this.#reader = reader;
    this.#collection = collection;
  }

  async get(key: string): Promise<Item | undefined> {
    const row = this.#reader.prepare(`SELECT record FROM ${this.table} WHERE ${this.key} = ?`).get(key);
    return row && this.itemOf(row);
  }

  async page(index: Index, prefix: readonly Scalar[], request: PageRequest): Promise<Page<Item>> {
    const { limit, range } = request;
    const plan = planPage(this.#collection, index, prefix, request);
    const { equal, order, place, where } = plan;
    const columns = order.map(quoted);
    const [sign, direction] = this.#collection.order === 'ascending' ? ['>', 'ASC'] : ['<', 'DESC'];
    const conditions: (readonly [sql: string, ...values: Scalar[]])[] = [
      ...equal.map(([member, value]) => [`${quoted(member)} IS ?`, value] as const),
      ...columns.map((column) => [`${column} IS NOT NULL`] as const),
    ];
    if (range?.from != null) conditions.push([`${columns[0]} >= ?`, range.from]);
    if (range?.until != null) conditions.push([`${columns[0]} < ?`, range.until]);
    if (place) conditions.push([`(${columns}) ${sign} (${place.map(() => '?')})`, ...place]);
    const rows = this.#reader
      .prepare(
        `SELECT record FROM ${this.table} WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
         ORDER BY ${columns.map((column) => `${column} ${direction}`)}
         LIMIT ${where.length === 0 ? limit + 1 : recordsLooked + 1}`,
      )
      .iterate(...conditions.flatMap(([, ...values]) => values.map(boundValue)));
    const records: Item[] = [];
    let [last, looked]: [Item | undefined, number] = [undefined, 0];
    for (const row of rows) {
      if (records.length === limit || looked === recordsLooked) return plan.page(records, last, true);
      looked += 1;
      const item = this.itemOf(row);
      last = item;
      if (where.every(([member, value]) => valueAt(item, member) === value)) records.push(item);
    }
    return plan.page(records, last, false);
  }

  protected itemOf({ record }: Record<string, SQLOutputValue>): Item {
    try {
      return JSON.parse(String(record)) as Item;
    } catch (cause) {
      const message = `A record of ${this.#collection.name} is damaged. "cairn fsck" says which.`;
      throw new ServiceError('internal', message, { cause });
    }
  }
}

/** As SQLite answers members of JSON. */
export function boundValue(value: Scalar | undefined = null): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : value;
}
