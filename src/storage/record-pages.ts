import type { Collection } from '../domain/collections/collection.ts';
import type { Order, Page, PageRequest, Scalar } from '../domain/collections/records.ts';
import { readCursor, throwBadCursor, writeCursor } from '../domain/cursors.ts';

/** A page of statements or records ends when they have this many bytes. */
export const pageBytes = 1 << 21;

/** The query for a page, independent of the store. */
export interface PagePlan {
  readonly equal: readonly (readonly [field: string, value: Scalar])[];
  /** The members that order the page. The last one is the key. */
  readonly order: readonly [string, ...string[]];
  readonly direction: Order;
  /** The values of `order` in the record before the page; null for the first page. */
  readonly place: readonly Scalar[] | null;
  readonly where: readonly (readonly [field: string, value: Scalar])[];
  /** @param isCut whether more records follow. @param last the last record that was read. */
  page<Item extends object>(records: readonly Item[], last: Item | undefined, isCut: boolean): Page<Item>;
}

/** The members that equal a prefix or what a partial index has, and those that order the records after it. */
export function splitIndex(
  { name, key, indexes, partial }: Collection,
  index: string,
  prefix: readonly Scalar[],
): Pick<PagePlan, 'equal' | 'order'> {
  const members = indexes[index];
  if (!members) throw new TypeError(`The collection ${name} has no index ${index}.`);
  const [first = key, ...rest] = [...members.slice(prefix.length), key];
  const given = prefix.map((value, at) => [String(members[at]), value] as const);
  return { equal: [...Object.entries(partial[index] ?? {}), ...given], order: [first, ...rest] };
}

/** @throws ServiceError `invalid_request` for a cursor of another question. */
export function planPage(
  collection: Collection,
  index: string,
  prefix: readonly Scalar[],
  { after, order: asked, range, where = {} }: PageRequest,
): PagePlan {
  const { name, unique } = collection;
  const { equal, order } = splitIndex(collection, index, prefix);
  if (index in unique && order.length > 1)
    throw new TypeError(`A page of ${name} by ${index} takes all of ${unique[index]}.`);
  const direction = asked ?? collection.order;
  const reversed = direction === collection.order ? [] : [direction];
  const question = [name, index, prefix, range ?? null, where, ...reversed];
  return {
    equal,
    order,
    direction,
    place: after === null ? null : readPlace(after, question, order.length),
    where: Object.entries(where).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
    page: (records, last, isCut) => {
      if (!isCut || !last) return { records };
      const values = order.map((field) => valueAt(last, field));
      return { records, next: writeCursor(values, question) };
    },
  };
}

/** Records whose first member in `order` has one of the values, and other members have theirs, in that order. */
interface Among {
  readonly order: readonly [string, ...string[]];
  readonly values: readonly Scalar[];
  readonly equal: PagePlan['equal'];
}

/** What `Records.among` asks for. */
export interface AmongRequest {
  readonly index: string;
  readonly values: readonly Scalar[];
  readonly limit: number;
  readonly then: readonly Scalar[];
}

/**
 * The first `limit` records for each value of the first member of an index.
 * @param read what a store has, in order for one value, and in any order for several: sorting them there takes most of the time.
 */
export async function recordsAmong<Item extends object>(
  collection: Collection,
  { index, values, limit, then }: AmongRequest,
  read: (among: Among, limit: number) => Promise<readonly Item[]>,
): Promise<(readonly Item[])[]> {
  const { equal: fixed, order } = splitIndex(collection, index, []);
  const [member, ...rest] = order;
  const equal = [...fixed, ...then.map((value, at) => [String(rest[at]), value] as const)];
  const find = (wanted: readonly Scalar[], most: number) => read({ order, values: wanted, equal }, most);
  const distinct = [...new Set(values)];
  const room = distinct.length * limit;
  const together = room === 0 ? [] : await find(distinct, room + 1);
  if (together.length <= room) {
    const groups = Map.groupBy(together, (record) => valueAt(record, member));
    if (distinct.length > 1)
      for (const group of groups.values()) group.sort(byMembers(rest, collection.order));
    return values.map((value) => groups.get(value)?.slice(0, limit) ?? []);
  }
  // One value has so many records that those of others may be missing.
  return await Promise.all(values.map((value) => find([value], limit)));
}

/** As a store orders records by their members. */
function byMembers(members: readonly string[], order: Order) {
  const sign = order === 'ascending' ? 1 : -1;
  return (one: object, other: object): number => {
    const differing = members.find((member) => valueAt(one, member) !== valueAt(other, member));
    return differing === undefined ? 0 : sign * compared(valueAt(one, differing), valueAt(other, differing));
  };
}

/** Null comes first, and texts are in the order of their bytes. */
function compared(one: Scalar, other: Scalar): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null);
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function readPlace(cursor: string, question: unknown, length: number): readonly Scalar[] {
  const values = readCursor(cursor, question);
  const isPlace = Array.isArray(values) && values.length === length && values.every(isOrdered);
  return isPlace ? values : throwBadCursor();
}

function isOrdered(value: unknown): value is Scalar {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** @param field such as `id` or `owner.issuer`. */
export function valueAt(record: object, field: string): Scalar {
  const within = (inner: unknown, name: string) => (inner as Record<string, unknown> | null)?.[name];
  // Splitting takes longer than the rest, and most fields are not within others.
  const value = field.includes('.')
    ? field.split('.').reduce<unknown>(within, record)
    : within(record, field);
  return (value ?? null) as Scalar;
}
