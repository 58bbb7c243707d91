import type { Filter } from 'mongodb';
import type { Collection } from '../../../domain/collections/collection.ts';
import type { TermGroup, TermPage, TermSearch, TermSet } from '../../../domain/collections/term-search.ts';
import { throwBadCursor } from '../../../domain/cursors.ts';
import { Remembered } from '../../remembered.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { eachDocument, rawDocuments } from '../some-documents.ts';
import { type RecordDocument, recordOf, termsMember } from './documents.ts';

/** Fewer matches than this are all read. */
const fewMatches = 200;
/** The last microseconds to look at first, of many matches. The next look goes further back if this one finds little. */
const firstWindow = 60_000_000;
const widening = 8;
/** Looks of one page. The page ends after them, or before them if it is full. */
const mostLooks = 32;
/** Of a window with more matches, only a part is read. */
const mostSorted = 300;

type Matches = readonly object[];

/**
 * Not every server reads matches in their order from an index. So few matches are sorted here, and many are looked for from the
 * newest backwards.
 */
export function mongoTermSearch<Item>(database: Database, declared: Collection): TermSearch<Item> {
  const { terms, name } = declared;
  if (!terms) throw new TypeError(`The collection ${name} has no terms.`);
  const { order } = terms;
  const stored = database.collection<RecordDocument>(name);
  const newestFirst = (one: RecordDocument, other: RecordDocument) =>
    other[order] - one[order] || (one._id < other._id ? 1 : -1);

  async function read($and: Matches, limit: number): Promise<RecordDocument[]> {
    const options = { ...rawDocuments(limit), projection: { [termsMember]: 0 } };
    const found = stored.find<Buffer>({ $and } as Filter<RecordDocument>, options);
    const documents = await Array.fromAsync(eachDocument<RecordDocument>(found), ({ document }) => document);
    return documents.sort(newestFirst);
  }

  async function count($and: Matches, most: number): Promise<number> {
    return await translated(() => stored.countDocuments({ $and } as Filter<RecordDocument>, { limit: most }));
  }

  const found = (documents: readonly RecordDocument[]): TermPage<Item>['found'] =>
    documents.map((document) => ({
      record: recordOf(declared, document) as Item,
      mark: `${document[order]} ${document._id}`,
    }));

  /** All matches, if they are few. */
  async function allOf(wanted: Matches): Promise<RecordDocument[] | undefined> {
    return (await count(wanted, fewMatches + 1)) > fewMatches
      ? undefined
      : await read(wanted, 2 * fewMatches);
  }

  /** Where the newest matches of the same sets were lately, and in which time so many are as a page has. */
  const places = new Remembered<{ readonly newest: number; readonly width: number }>();

  /** At least `most` of the newest matches, or all. */
  async function newest(wanted: Matches, beyond: Matches, until: number, most: number) {
    const documents: RecordDocument[] = [];
    const key = JSON.stringify(wanted);
    const known = places.get(key);
    const isFirst = beyond.length === 0;
    let [from, width, growth, above] = [until, known?.width ?? firstWindow, widening, beyond];
    if (known && isFirst) width = Math.max(1, until - known.newest);
    for (let look = 0; look < mostLooks && documents.length < most; look += 1) {
      const window = [...wanted, ...above, { [order]: { $gt: from - width } }];
      const matches = await count(window, mostSorted + 1);
      if (matches > mostSorted && width > 1) {
        [width, growth] = [Math.ceil(width / widening), 2];
        continue;
      }
      if (matches > 0) {
        documents.push(...(await read(window, 2 * mostSorted)));
        places.set(key, { newest: documents[0]?.[order], width: Math.ceil((width * most) / matches) });
      }
      [from, above] = [from - width, [{ [order]: { $lte: from - width } }]];
      const lacking = (1.5 * (most - documents.length)) / matches;
      width =
        look === 0 && known && isFirst && matches === 0
          ? known.width
          : Math.ceil(width * Math.min(growth, lacking));
    }
    if (documents.length >= most) return documents;
    const rest = {
      ...{ ...rawDocuments(most), projection: { [termsMember]: 0 } },
      sort: { [order]: -1, _id: -1 } as const,
    };
    const last = stored.find<Buffer>({ $and: [...wanted, ...above] } as Filter<RecordDocument>, rest);
    for await (const { document } of eachDocument<RecordDocument>(last)) documents.push(document);
    return documents;
  }

  const rarity = rarities((set) => count([oneOf(set)], commonFrom));
  const wantedOf = async (groups: readonly TermGroup[], isExact = false) =>
    (isExact ? groups.flat() : await rarestSets(groups, rarity)).map(oneOf);

  return {
    async matching(groups, { after, limit, isExact }) {
      const place = after === null ? null : placeIn(after);
      const [until = database.now().getTime() * 1_000, id = ''] = place ?? [];
      const older = { $or: [{ [order]: { $lt: until } }, { [order]: until, _id: { $lt: id } }] };
      const beyond = place ? [{ [order]: { $lte: until } }, older] : [];
      const wanted = await wantedOf(groups, isExact);
      const all = await allOf([...wanted, ...beyond]);
      const documents = all ?? (await newest(wanted, beyond, until, limit + 1));
      return { found: found(documents.slice(0, limit)), isLast: documents.length <= limit };
    },
    async few(groups, most) {
      const all = await allOf(await wantedOf(groups));
      return all && all.length <= most ? found(all) : undefined;
    },
  };
}

function oneOf(set: TermSet) {
  return { [termsMember]: set.length === 1 ? set[0] : { $in: set } };
}

/** So many records with a term are common. */
const commonFrom = 100;
/** More sets hardly make the answer smaller. */
const setsAsked = 8;

/** A set alone if it is rare. Otherwise some of each group. */
async function rarestSets(groups: readonly TermGroup[], rarity: (set: TermSet) => Promise<number>) {
  const most = Math.max(1, Math.floor(setsAsked / groups.length));
  const sets = groups.slice(0, setsAsked).flatMap((group) => spread(group, most));
  const counts = await Promise.all(sets.map(async (set) => ({ set, count: await rarity(set) })));
  const rarest = counts.toSorted((one, other) => one.count - other.count)[0];
  return rarest && rarest.count < commonFrom ? [rarest.set] : sets;
}

/** Some of many, at equal distances. */
function spread(sets: TermGroup, most: number): TermGroup {
  if (sets.length <= most) return sets;
  return Array.from({ length: most }, (_, at) => sets[Math.floor((at * sets.length) / most)] ?? []);
}

/** How many records have a term of a set, as far as they were counted lately. */
function rarities(countOf: (set: TermSet) => Promise<number>): (set: TermSet) => Promise<number> {
  const known = new Remembered<Promise<number>>();
  return async (set) => {
    const key = set.join();
    const counted = known.get(key) ?? countOf(set);
    known.set(key, counted);
    counted.catch(() => known.delete(key));
    return await counted;
  };
}

function placeIn(mark: string): readonly [order: number, id: string] {
  const [, order, id = ''] = /^(\d{1,16}) (.{1,200})$/s.exec(mark) ?? throwBadCursor();
  return [Number(order), id];
}
