import { ServiceError } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { Cid } from '../identifiers/cid.ts';
import type { GraphContents } from '../manifest/ports.ts';
import type { StatementRow } from '../ports.ts';
import type { BySort, GraphReads, OrderedRows, RowsSnapshot, StatementRowsOfStore } from './rows.ts';

const mostRows = 128;
/** Before the size of the rows is known. */
const firstRows = 32;
/** About as many bytes of rows are read at once. */
const pageBytes = 1 << 20;
/** So that pages are read while others are used. */
const pagesAtOnce = 3;
/** The most marks in memory for all lists together, and the fewest for each list. */
const marksHeld = 16_384;
const fewestMarks = 8;
const longestPage = 1_000;
const listsAtOnce = 16;
const idDigits = 32;
const cidsAtOnce = 100;

export interface ContentsPorts {
  readonly rows: StatementRowsOfStore;
  readonly graphReads: GraphReads;
  snapshot(): Promise<RowsSnapshot>;
}

export function graphContents({ rows, graphReads, snapshot }: ContentsPorts): GraphContents {
  return {
    async *statements(graphIds, visibility) {
      await using now = await snapshot();
      const visible = await now.graphReads.visible(graphIds, visibility);
      const sizes = await now.graphReads.sizes(visible);
      const lists: MarkList[] = visible.flatMap((graphId) =>
        (['verified', 'unverified'] as const).map((partition) => ({ ...unread, partition, graphId })),
      );
      if (graphIds === null && visibility.projects === 'all')
        lists.push({ ...unread, partition: 'verified', graphId: null });
      let rowsAtOnce = firstRows;
      const read = async (keys: readonly Key[]) => {
        const page = await rowsOf(now.rows, keys);
        if (sizes && page.length < keys.length) throwDamaged('Statements that an index names are missing');
        rowsAtOnce = Math.min(Math.ceil(pageBytes / meanBytes(page)), mostRows);
        return page;
      };
      const pages = pagesOf(inOrder(now.rows, lists), () => rowsAtOnce);
      for await (const page of mapConcurrent(pages, pagesAtOnce, read)) {
        if (page.length > 0) yield page;
        await yieldToEventLoop();
      }
      if (sizes) assertSizes(lists, sizes);
    },

    visible: (graphIds, visibility) => graphReads.visible(graphIds, visibility),

    count: (graphId, jcsCids) => countInGraph(rows, graphId, jcsCids),

    async attachments(graphIds, visibility) {
      return await graphReads.attachments(await graphReads.visible(graphIds, visibility));
    },
  };
}

/** Counts how many of these distinct forms are in a graph. */
async function countInGraph(
  rows: StatementRowsOfStore,
  graphId: string,
  jcsCids: readonly Cid[],
): Promise<number> {
  let count = 0;
  for (let at = 0; at < jcsCids.length; at += cidsAtOnce) {
    const cids = jcsCids.slice(at, at + cidsAtOnce);
    for (const found of await Promise.all([rows.verified.whole(cids), rows.unverified.whole(cids)]))
      count += found.filter((row) => row?.memberships.some((one) => one.graphId === graphId)).length;
  }
  return count;
}

/** @throws ServiceError `damaged` unless as many rows were read of each graph as the store says that it has. */
function assertSizes(lists: readonly MarkList[], sizes: ReadonlyMap<string, number>): void {
  const read = new Map<string, number>();
  for (const { graphId, count } of lists)
    if (graphId !== null) read.set(graphId, (read.get(graphId) ?? 0) + count);
  for (const [graphId, size] of sizes) {
    const found = read.get(graphId) ?? 0;
    if (found !== size) throwDamaged(`The graph ${graphId} has ${size} statements, and ${found} can be read`);
  }
}

function throwDamaged(what: string): never {
  const message = `The database is damaged. ${what}. Run "cairn fsck" to see what else is damaged.`;
  throw new ServiceError('damaged', message);
}

type Partition = keyof StatementRowsOfStore;

/** The position of a row among all graphs. Verified rows of an id come first. */
interface Key {
  readonly text: string;
  readonly partition: Partition;
  readonly mark: string;
}

/** The marks of a graph (null: of the rows in no graph), read page by page. */
interface MarkList {
  readonly partition: Partition;
  readonly graphId: string | null;
  after: string | null;
  isEnded: boolean;
  /** Rows read so far. */
  count: number;
  keys: Key[];
}

const unread = { after: null, isEnded: false, count: 0, keys: [] };

async function readOn(rows: BySort<OrderedRows>, list: MarkList, limit: number): Promise<void> {
  const { partition, graphId, after } = list;
  const marks = await rows[partition].contents(graphId, after, limit);
  const order = partition === 'verified' ? 0 : 1;
  const textOf = (mark: string) => `${mark.slice(0, idDigits)}${order}${mark.slice(idDigits)}`;
  list.keys = marks.map((mark) => ({ text: textOf(mark), partition, mark }));
  list.count += marks.length;
  list.after = marks.at(-1) ?? null;
  list.isEnded = marks.length < limit;
}

/** Removes and returns the keys up to a text. */
function take({ keys }: MarkList, end: string | undefined): Key[] {
  const count = end === undefined ? -1 : keys.findIndex(({ text }) => text > end);
  return keys.splice(0, count === -1 ? keys.length : count);
}

/**
 * Distinct keys in order. Each round reads all lists up to the first key where a list must be continued, because the
 * keys up to there can be sorted.
 */
async function* inOrder(rows: BySort<OrderedRows>, all: readonly MarkList[]): AsyncGenerator<Key[]> {
  for (
    let lists = [...all];
    lists.length > 0;
    lists = lists.filter((list) => !list.isEnded || list.keys.length > 0)
  ) {
    const limit = Math.max(Math.min(Math.floor(marksHeld / lists.length), longestPage), fewestMarks);
    const empty = lists.filter(({ keys }) => keys.length === 0);
    for (let at = 0; at < empty.length; at += listsAtOnce)
      await Promise.all(empty.slice(at, at + listsAtOnce).map((list) => readOn(rows, list, limit)));
    const ends = lists.flatMap(({ isEnded, keys }) => (isEnded ? [] : (keys.at(-1)?.text ?? [])));
    const [end] = ends.sort();
    const keys = lists
      .flatMap((list) => take(list, end))
      .sort((one, other) => (one.text < other.text ? -1 : 1));
    yield keys.filter(({ text }, at) => text !== keys[at - 1]?.text);
  }
}

/** @param length of the next page. */
async function* pagesOf(all: AsyncIterable<Key[]>, length: () => number): AsyncGenerator<readonly Key[]> {
  for await (const keys of all) while (keys.length > 0) yield keys.splice(0, length());
}

/** More than 0, for an empty page too. */
function meanBytes(rows: readonly StatementRow[]): number {
  return rows.reduce((sum, { jcs }) => sum + jcs.length, 1) / Math.max(rows.length, 1);
}

async function rowsOf(rows: BySort<OrderedRows>, keys: readonly Key[]): Promise<StatementRow[]> {
  const found = new Map<Key, StatementRow | undefined>();
  for (const partition of ['verified', 'unverified'] as const) {
    const asked = keys.filter((key) => key.partition === partition);
    const answers = asked.length > 0 ? await rows[partition].atMarks(asked.map(({ mark }) => mark)) : [];
    for (const [at, key] of asked.entries()) found.set(key, answers[at]);
  }
  return keys.flatMap((key) => found.get(key) ?? []);
}
