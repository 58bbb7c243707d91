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

  /** In which time there are `most` matches, estimated by those that the server comes upon first. */
  async function widthOf($and: Matches, most: number): Promise<number> {
    const options = { ...rawDocuments(fewMatches), projection: { _id: 0, [order]: 1 } };
    const found = stored.find<Buffer>({ $and } as Filter<RecordDocument>, options);
    const orders = await Array.fromAsync(eachDocument<RecordDocument>(found), ({ document }) =>
      Number(document[order]),
    );
    const span = Math.max(...orders) - Math.min(...orders);
    return Math.max(1, Math.ceil((span * most) / fewMatches));
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
    const matches = await count(wanted, fewMatches + 1);
    if (matches === 0) return [];
    return matches > fewMatches ? undefined : await read(wanted, 2 * fewMatches);
  }

  /** Where the newest matches of the same sets were lately, and in which time so many are as a page has. */
  const places = new Remembered<{ readonly newest: number; readonly width: number }>();

  /** At least `most` of the newest matches, or all. */
  async function newest(wanted: Matches, beyond: Matches, until: number, most: number) {
    const documents: RecordDocument[] = [];
    const key = JSON.stringify(wanted);
    const known = places.get(key);
    const isFirst = beyond.length === 0;
    const usual = known?.width ?? (await widthOf(wanted, most));
    let [from, width, growth, above] = [until, usual, widening, beyond];
    if (known && isFirst) width += Math.max(0, until - known.newest);
    for (let look = 0; look < mostLooks && documents.length < most; look += 1) {
      const window = [...wanted, ...above, { [order]: { $gt: from - width } }];
      const matches = await count(window, mostSorted + 1);
      if (matches > mostSorted && width > 1) {
        [width, growth] = [Math.ceil(width / widening), 2];
        continue;
      }
      if (matches > 0) {
        documents.push(...(await read(window, 2 * mostSorted)));
        const [newest, oldest] = [Number(documents[0]?.[order]), Number(documents.at(-1)?.[order])];
        const usualWidth = Math.max(1, Math.ceil(((newest - oldest) * most) / documents.length));
        places.set(key, { newest, width: usualWidth });
      }
      [from, above] = [from - width, [{ [order]: { $lte: from - width } }]];
      const lacking = (1.5 * (most - documents.length)) / matches;
      width = Math.ceil((look === 0 ? usual : width) * Math.min(growth, lacking));
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

/** A set that so few records have is asked for alone. */
const rareBelow = 100;
/** Sets that so many records have are not counted further. */
const commonFrom = 1_000;
/** Of all groups. The counts are remembered. */
const setsCounted = 24;
/** The server reads all that it knows of each set. So more of them make a search slower, and its answer hardly smaller. */
const setsAsked = 3;
const groupsAsked = 8;

/** The rarest sets: one alone if it is rare, two if one is no common one, and otherwise one of each group at least. */
async function rarestSets(groups: readonly TermGroup[], rarity: (set: TermSet) => Promise<number>) {
  const most = Math.max(1, Math.floor(setsCounted / groups.length));
  const counted = await Promise.all(
    groups.slice(0, setsCounted).map(async (group) => {
      const counts = await Promise.all(
        spread(group, most).map(async (set) => ({ set, count: await rarity(set) })),
      );
      return counts.toSorted(byCount);
    }),
  );
  const firsts = counted.flatMap(([first]) => first ?? []).toSorted(byCount);
  const further = counted.flatMap(([, ...others]) => others).toSorted(byCount);
  const rarest = firsts[0]?.count ?? 0;
  if (rarest < rareBelow) return firsts.slice(0, 1).map(({ set }) => set);
  if (rarest < commonFrom) {
    const two = [...firsts, ...further].toSorted(byCount).slice(0, 2);
    return two.map(({ set }) => set);
  }
  const asked = Math.max(setsAsked, Math.min(groups.length, groupsAsked));
  return [...firsts, ...further].slice(0, asked).map(({ set }) => set);
}

function byCount(one: { readonly count: number }, other: { readonly count: number }): number {
  return one.count - other.count;
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
