import type { Filter } from 'mongodb';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { TermPage, TermSearch } from '../../../domain/collections/term-search.ts';
import { throwBadCursor } from '../../../domain/cursors.ts';
import type { Database } from '../database.ts';
import { eachDocument, rawDocuments } from '../some-documents.ts';
import { type RecordDocument, recordOf, termsMember } from './documents.ts';

/** Fewer matches than this are all read. */
const fewMatches = 200;
/** The last microseconds to look at first, of many matches. Each further look goes back eight times as far. */
const firstWindow = 60_000_000;
const widening = 8;
const windows = 9;

/**
 * Not every server reads matches in their order from an index. So few matches are sorted here, and many are looked for from the
 * newest backwards.
 */
export function mongoTermSearch<Item>(database: Database, declared: Collection): TermSearch<Item> {
  const { terms, name } = declared;
  if (!terms) throw new TypeError(`The collection ${name} has no terms.`);
  const { order } = terms;
  const stored = database.collection<RecordDocument>(name);

  async function read(filter: object, sort: Record<string, -1> | null, limit: number) {
    const options = { ...rawDocuments(limit), projection: { [termsMember]: 0 }, ...(sort && { sort }) };
    const found = stored.find<Buffer>(filter as Filter<RecordDocument>, options);
    return (await Array.fromAsync(eachDocument<RecordDocument>(found))).map(({ document }) => document);
  }

  function pageOf(documents: readonly RecordDocument[], limit: number): TermPage<Item> {
    const found = documents.slice(0, limit).map((document) => ({
      record: recordOf(declared, document) as Item,
      mark: `${document[order]} ${document._id}`,
    }));
    return { found, isLast: documents.length <= limit };
  }

  return {
    async matching(sets, { after, limit }) {
      const place = after === null ? null : placeIn(after);
      const wanted = sets.map((set) => ({ [termsMember]: set.length === 1 ? set[0] : { $in: set } }));
      const beyond = place && {
        $or: [{ [order]: { $lt: place[0] } }, { [order]: place[0], _id: { $lt: place[1] } }],
      };
      const $and = [...wanted, ...(place && beyond ? [{ [order]: { $lte: place[0] } }, beyond] : [])];
      const few = await read({ $and }, null, fewMatches + 1);
      if (few.length <= fewMatches) return pageOf(few.toSorted(newestFirst(order)), limit);
      const sort = { [order]: -1, _id: -1 } as const;
      const found: RecordDocument[] = [];
      let [until, width] = [place?.[0] ?? database.now().getTime() * 1_000, firstWindow];
      let isFirst = true;
      for (let at = 0; at <= windows && found.length <= limit; at += 1, width *= widening) {
        const from = at < windows ? [{ [order]: { $gt: until - width } }] : [];
        const to = isFirst ? [] : [{ [order]: { $lte: until } }];
        found.push(...(await read({ $and: [...$and, ...from, ...to] }, sort, limit + 1 - found.length)));
        [until, isFirst] = [until - width, false];
      }
      return pageOf(found, limit);
    },
  };
}

function newestFirst(order: string) {
  return (one: RecordDocument, other: RecordDocument) =>
    other[order] - one[order] || (one._id < other._id ? 1 : -1);
}

function placeIn(mark: string): readonly [order: number, id: string] {
  const [, order, id = ''] = /^(\d{1,16}) (.{1,200})$/s.exec(mark) ?? throwBadCursor();
  return [Number(order), id];
}
