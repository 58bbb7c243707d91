import type { Filter, UpdateFilter } from 'mongodb';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { Order, Records, Scalar, Total } from '../../../domain/collections/records.ts';
import { pageBytes, planPage, recordsAmong, splitIndex } from '../../record-pages.ts';
import type { Database } from '../database.ts';
import { isDuplicate, translated } from '../errors.ts';
import { eachDocument, rawDocuments, someDocuments } from '../some-documents.ts';
import { insertUnordered, writeUnique } from '../unique-writes.ts';
import { documentOf, isNullable, omittedNulls, type RecordDocument, recordOf } from './documents.ts';

type Conditions = Filter<RecordDocument>;

export function mongoRecords<Item extends object, Index extends string>(
  database: Database,
  collection: Collection,
): Records<Item, Index> {
  const stored = database.collection<RecordDocument>(collection.name);
  const omitted = omittedNulls(collection);
  const itemOf = (document: RecordDocument) => recordOf(collection, document) as Item;
  const fieldOf = (member: string) => (member === collection.key ? '_id' : member);

  /** The values of a unique set, by which writes take turns; undefined when none is complete. */
  function turnOf(members: object): string | undefined {
    const values = members as Record<string, unknown>;
    const set = Object.values(collection.unique).find((names) =>
      names.every((name) => (values[name] ?? null) !== null),
    );
    return set && JSON.stringify([collection.name, ...set.map((name) => values[name])]);
  }

  async function insertOne(document: RecordDocument): Promise<boolean> {
    try {
      await writeUnique(turnOf(document), () => stored.insertOne(document));
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  function updateOf(change: Partial<Item>): UpdateFilter<RecordDocument> {
    const isOmitted = ([name, value]: [string, unknown]) => value === null && omitted.includes(name);
    const { $unset = [], $set = [] } = Object.groupBy(Object.entries(change), (member) =>
      isOmitted(member) ? '$unset' : '$set',
    );
    return {
      ...($set.length > 0 && { $set: Object.fromEntries($set) }),
      ...($unset.length > 0 && { $unset: Object.fromEntries($unset) as Record<string, ''> }),
    };
  }

  function find(conditions: object, order: readonly string[], direction: Order, limit: number) {
    const sign = direction === 'ascending' ? 1 : -1;
    const sort = Object.fromEntries(order.map((member) => [fieldOf(member), sign] as const));
    return eachDocument<RecordDocument>(
      stored.find<Buffer>(conditions as Conditions, { sort, ...rawDocuments(limit) }),
    );
  }

  return {
    async get(key) {
      const found = await translated(() => stored.findOne({ _id: key }));
      return found ? itemOf(found) : undefined;
    },

    async insert(records) {
      const documents = records.map((record) => documentOf(collection, record));
      return await translated(async () => {
        const failed = documents.length > 1 ? await insertUnordered(stored, documents) : null;
        const isNew: boolean[] = [];
        for (const [index, document] of documents.entries()) {
          const isStored = failed?.has(index) === false;
          isNew.push(isStored || (!isDuplicate(failed?.get(index)) && (await insertOne(document))));
        }
        return isNew;
      });
    },

    async update(key, expected, change) {
      const filter = { ...expected, _id: key } as Conditions;
      const write = () => stored.findOneAndUpdate(filter, updateOf(change), { returnDocument: 'after' });
      return await translated(async () => {
        try {
          const updated = await writeUnique(turnOf(change), write);
          return updated ? itemOf(updated) : undefined;
        } catch (error) {
          if (isDuplicate(error)) return undefined;
          throw error;
        }
      });
    },

    async updateAll(keys, expected, change) {
      const filter = { ...expected, _id: { $in: [...keys] } } as Conditions;
      if (keys.length > 0) await translated(() => stored.updateMany(filter, updateOf(change)));
    },

    async remove(key, expected = {}) {
      const filter = { ...expected, _id: key } as Conditions;
      return (await translated(() => stored.deleteOne(filter))).deletedCount === 1;
    },

    async page(index, prefix, request) {
      const { limit, range } = request;
      const plan = planPage(collection, index, prefix, request);
      const { equal, direction, place, where } = plan;
      const order = plan.order.map(fieldOf);
      const [first = '_id'] = order;
      const sign = direction === 'ascending' ? '$gt' : '$lt';
      const conditions = [
        ...[...equal, ...where].map(([member, value]) => ({ [fieldOf(member)]: value })),
        ...plan.order
          .filter((member) => isNullable(collection, member))
          .map((member) => ({ [fieldOf(member)]: { $ne: null } })),
        ...(range?.from == null ? [] : [{ [first]: { $gte: range.from } }]),
        ...(range?.until == null ? [] : [{ [first]: { $lt: range.until } }]),
        ...(place ? [{ [first]: { [`${sign}e`]: place[0] } }, { $or: beyond(order, place, sign) }] : []),
      ];
      const filter = conditions.length > 0 ? { $and: conditions } : {};
      const found = find(filter, plan.order, direction, limit + 1);
      const { documents, isLonger } = await someDocuments(found, limit, pageBytes);
      const records = documents.map(itemOf);
      return plan.page(records, records.at(-1), isLonger);
    },

    async totals(index, prefix, member) {
      const { equal, order } = splitIndex(collection, index, prefix);
      const match = Object.fromEntries(equal.map(([name, value]) => [fieldOf(name), value]));
      const group = { _id: `$${fieldOf(order[0])}`, count: { $sum: 1 }, sum: { $sum: `$${member}` } };
      const totals = await translated(() =>
        stored.aggregate<Total & { _id: Scalar }>([{ $match: match }, { $group: group }]).toArray(),
      );
      return new Map(totals.map(({ _id, count, sum }) => [_id, { count, sum }]));
    },

    among: (index, values, limit, then = []) =>
      recordsAmong(collection, { index, values, limit, then }, async (among, most) => {
        const fixed = Object.fromEntries(among.equal.map(([member, value]) => [fieldOf(member), value]));
        const wanted = { ...fixed, [fieldOf(among.order[0])]: { $in: among.values } };
        const found = find(wanted, among.order, collection.order, most);
        return (await Array.fromAsync(found)).map(({ document }) => itemOf(document));
      }),
  };
}

function beyond(order: readonly string[], place: readonly Scalar[], sign: '$gt' | '$lt') {
  return order.map((member, at) => ({
    ...Object.fromEntries(order.slice(0, at).map((before, index) => [before, place[index]])),
    [member]: { [sign]: place[at] },
  }));
}
