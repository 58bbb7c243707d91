import type { Collection as Documents, Filter, UpdateFilter } from 'mongodb';
import { MongoBulkWriteError } from 'mongodb';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { Expected, Page, PageRequest, Records, Scalar } from '../../../domain/collections/records.ts';
import { planPage } from '../../record-pages.ts';
import type { Database } from '../database.ts';
import { isDeadlock, isDuplicate, translated } from '../errors.ts';
import { writeUnique } from '../unique-writes.ts';
import { documentOf, isNullable, omittedNulls, type RecordDocument, recordOf } from './documents.ts';

type Conditions = Filter<RecordDocument>;

const repeats = 20;

/** The records of a collection as documents. */
export class MongoRecords<Item extends object, Index extends string> implements Records<Item, Index> {
  readonly #documents: Documents<RecordDocument>;
  readonly #collection: Collection;
  readonly #omitted: readonly string[];

  constructor(database: Database, collection: Collection) {
    this.#collection = collection;
    this.#documents = database.collection<RecordDocument>(collection.name);
    this.#omitted = omittedNulls(this.#collection);
  }

  async get(key: string): Promise<Item | undefined> {
    const found = await translated(() => this.#documents.findOne({ _id: key }));
    return found ? this.#item(found) : undefined;
  }

  async insert(records: readonly Item[]): Promise<boolean[]> {
    const isNew = records.map(() => false);
    let left = records.map((record, at) => ({ at, document: documentOf(this.#collection, record) }));
    for (let repeat = 0; left.length > 0; repeat += 1) {
      const documents = left.map(({ document }) => document);
      const failed = await translated(() => this.#insertSome(documents, repeat === repeats));
      for (const [index, { at }] of left.entries()) isNew[at] = !failed.has(index);
      left = left.filter((_, index) => failed.get(index) === 'repeat');
    }
    return isNew;
  }

  /** @returns the places of those that were not stored, and what to do about them. */
  async #insertSome(
    documents: readonly RecordDocument[],
    isLast: boolean,
  ): Promise<ReadonlyMap<number, 'known' | 'repeat'>> {
    const write = () => this.#documents.insertMany([...documents], { ordered: false });
    try {
      await (documents.length > 1 ? write() : writeUnique(this.#turns(documents[0] ?? {}), write));
      return new Map();
    } catch (error) {
      if (isLast && isDeadlock(error)) throw error;
      if (!(error instanceof MongoBulkWriteError)) {
        if (!isDeadlock(error)) throw error;
        return new Map(documents.map((_, index) => [index, 'repeat']));
      }
      const errors = [error.writeErrors].flat();
      if (!errors.every((one) => isDuplicate(one) || isDeadlock(one))) throw error;
      return new Map(errors.map((one) => [one.index, isDuplicate(one) ? 'known' : 'repeat']));
    }
  }

  async update(key: string, expected: Expected<Item>, change: Partial<Item>): Promise<Item | undefined> {
    const isOmitted = ([name, value]: [string, unknown]) => value === null && this.#omitted.includes(name);
    const { $unset = [], $set = [] } = Object.groupBy(Object.entries(change), (member) =>
      isOmitted(member) ? '$unset' : '$set',
    );
    const update: UpdateFilter<RecordDocument> = {
      ...($set.length > 0 && { $set: Object.fromEntries($set) }),
      ...($unset.length > 0 && { $unset: Object.fromEntries($unset) as Record<string, ''> }),
    };
    const filter = { ...expected, _id: key } as Conditions;
    const write = () => this.#documents.findOneAndUpdate(filter, update, { returnDocument: 'after' });
    const updated = await translated(async () => {
      try {
        return await writeUnique(this.#turns(change), write);
      } catch (error) {
        if (isDuplicate(error)) return null;
        throw error;
      }
    });
    return updated ? this.#item(updated) : undefined;
  }

  async remove(key: string, expected: Expected<Item> = {}): Promise<boolean> {
    const filter = { ...expected, _id: key } as Conditions;
    return (await translated(() => this.#documents.deleteOne(filter))).deletedCount === 1;
  }

  async page(index: Index, prefix: readonly Scalar[], request: PageRequest): Promise<Page<Item>> {
    const { limit, range } = request;
    const plan = planPage(this.#collection, index, prefix, request);
    const { equal, place, where } = plan;
    const order = plan.order.map((member) => this.#field(member));
    const [first = '_id'] = order;
    const [sign, direction] =
      this.#collection.order === 'ascending' ? (['$gt', 1] as const) : (['$lt', -1] as const);
    const conditions = [
      ...[...equal, ...where].map(([member, value]) => ({ [this.#field(member)]: value })),
      ...plan.order
        .filter((member) => isNullable(this.#collection, member))
        .map((member) => ({ [this.#field(member)]: { $ne: null } })),
      ...(range?.from == null ? [] : [{ [first]: { $gte: range.from } }]),
      ...(range?.until == null ? [] : [{ [first]: { $lt: range.until } }]),
      ...(place ? [{ [first]: { [`${sign}e`]: place[0] } }, { $or: beyond(order, place, sign) }] : []),
    ];
    const found = await translated(() =>
      this.#documents
        .find((conditions.length > 0 ? { $and: conditions } : {}) as Conditions)
        .sort(Object.fromEntries(order.map((member) => [member, direction])))
        .limit(limit + 1)
        .toArray(),
    );
    const records = found.slice(0, limit).map((document) => this.#item(document));
    return plan.page(records, records.at(-1), found.length > limit);
  }

  #field(member: string): string {
    return member === this.#collection.key ? '_id' : member;
  }

  #item(document: RecordDocument): Item {
    return recordOf(this.#collection, document) as Item;
  }

  /** What the turns of writes go by that a unique set refuses to all but the first; undefined for other writes. */
  #turns(members: object): string | undefined {
    const values = members as Record<string, unknown>;
    const set = Object.values(this.#collection.unique).find((names) =>
      names.every((name) => (values[name] ?? null) !== null),
    );
    return set && JSON.stringify([this.#collection.name, ...set.map((name) => values[name])]);
  }
}

/** Behind a place, in the order of members. */
function beyond(order: readonly string[], place: readonly Scalar[], sign: '$gt' | '$lt') {
  return order.map((member, at) => ({
    ...Object.fromEntries(order.slice(0, at).map((before, index) => [before, place[index]])),
    [member]: { [sign]: place[at] },
  }));
}
