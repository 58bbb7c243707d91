import type { Collection } from '../domain/collections/collection.ts';
import type { Page, PageRequest, Scalar } from '../domain/collections/records.ts';
import { readCursor, refuseCursor, writeCursor } from '../domain/cursors.ts';

/** The query for a page, independent of the store. */
export interface PagePlan {
  readonly equal: readonly (readonly [field: string, value: Scalar])[];
  /** The members that order the page. The last one is the key. */
  readonly order: readonly [string, ...string[]];
  /** The values of `order` in the record before the page; null for the first page. */
  readonly place: readonly Scalar[] | null;
  readonly where: readonly (readonly [field: string, value: Scalar])[];
  /** @param isCut whether more records follow. @param last the last record that was read. */
  page<Item extends object>(records: readonly Item[], last: Item | undefined, isCut: boolean): Page<Item>;
}

/** @throws ServiceError `invalid_request` for a cursor of another question. */
export function planPage(
  { name, key, unique, indexes }: Collection,
  index: string,
  prefix: readonly Scalar[],
  { after, range, where = {} }: PageRequest,
): PagePlan {
  const members = indexes[index];
  if (!members) throw new TypeError(`The collection ${name} has no index ${index}.`);
  if (index in unique && prefix.length < members.length)
    throw new TypeError(`A page of ${name} by ${index} takes all of ${members}.`);
  const question = [name, index, prefix, range ?? null, where];
  const [first = key, ...rest] = [...members.slice(prefix.length), key];
  const order = [first, ...rest] as const;
  return {
    equal: prefix.map((value, at) => [String(members[at]), value]),
    order,
    place: after === null ? null : readPlace(after, question, order.length),
    where: Object.entries(where).flatMap(([field, value]) => (value === undefined ? [] : [[field, value]])),
    page: (records, last, isCut) => {
      if (!isCut || !last) return { records };
      const values = order.map((field) => valueAt(last, field));
      return { records, next: writeCursor(values, question) };
    },
  };
}

/** The members of an index and the key, in the order of its pages. */
export function orderOf({ name, key, indexes }: Collection, index: string): readonly [string, ...string[]] {
  const members = indexes[index];
  if (!members) throw new TypeError(`The collection ${name} has no index ${index}.`);
  const [first = key, ...rest] = members;
  return first === key ? [key] : [first, ...rest, key];
}

function readPlace(cursor: string, question: unknown, length: number): readonly Scalar[] {
  const values = readCursor(cursor, question);
  const isPlace = Array.isArray(values) && values.length === length && values.every(isOrdered);
  return isPlace ? values : refuseCursor();
}

function isOrdered(value: unknown): value is Scalar {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** @param field such as `id` or `owner.issuer`. */
export function valueAt(record: object, field: string): Scalar {
  const value = field
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null)?.[name], record);
  return (value ?? null) as Scalar;
}
