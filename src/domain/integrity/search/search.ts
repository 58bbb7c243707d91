import { isVisible, type Visibility } from '../../access/visibility.ts';
import { readCursor, throwBadCursor, writeCursor } from '../../cursors.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { uuidIn } from '../identifiers/identifiers.ts';
import { type NameReading, statementsOf } from '../names/name-index.ts';
import type { NameRecord } from '../names/name-records.ts';
import type { Graph, GraphStore, Page } from '../ports.ts';
import type { WholeStatement } from '../statements/rows.ts';
import type { IndexedGroup, SearchEntry, SearchTerms } from './search-entries.ts';
import { partOf, type Rank, rankOf, ranks, setsFor, type Words } from './terms.ts';

export interface ThingSearch {
  /**
   * The things of a group whose name has all words: the best first, and of those the one with the newest name. A page may be
   * short or empty if entries had to be skipped. @throws ServiceError `invalid_request` for a cursor of another search.
   */
  inGroup(asked: Asked, page: Page, visibility: Visibility): Promise<HitPage>;

  /** Up to ten visible names of each thing, the newest first. */
  namesOf(
    subjects: readonly string[],
    visibility: Visibility,
  ): Promise<ReadonlyMap<string, readonly string[]>>;
}

export interface Asked {
  readonly words: Words;
  readonly group: IndexedGroup;
}

export function thingSearch(ports: SearchPorts): ThingSearch {
  return {
    inGroup: (asked, page, visibility) => searchGroup(ports, asked, page, visibility),
    async namesOf(subjects, visibility) {
      const found = await namesOf(ports, subjects, visibility);
      return new Map(Array.from(found, ([subject, names]) => [subject, distinctNames(names)]));
    },
  };
}

function distinctNames(records: readonly NameRecord[]): string[] {
  return [...new Set(records.map(({ name }) => name))];
}

interface SearchPorts extends NameReading {
  readonly terms: SearchTerms;
  readonly graphs: Pick<GraphStore, 'get'>;
}

/** A thing whose name fits. */
export interface Hit {
  readonly subject: string;
  /** Its visible names, the newest first. */
  readonly names: readonly string[];
  /** The statement that gives the name that fits, or the graph with this name. */
  readonly source: WholeStatement | Graph;
}

export interface HitPage {
  readonly hits: readonly Hit[];
  readonly next?: string;
}

/** A reader of more projects searches what everybody has, and only sees what they may see. */
const projectsSearched = 50;
const entriesAtOnce = 100;
/** The most entries that one answer looks at. */
const mostLooked = 1_000;
/** More names of a thing are not shown, nor compared. */
const namesCompared = 10;

/** See `ThingSearch`. */
async function searchGroup(
  ports: SearchPorts,
  { words, group }: Asked,
  { after, limit }: Page,
  visibility: Visibility,
): Promise<HitPage> {
  const { projects } = visibility;
  if (projects !== 'all' && projects.size === 0) return { hits: [] };
  const isFew = projects !== 'all' && projects.size <= projectsSearched;
  const parts = isFew ? Array.from(projects, (project) => partOf(project, group)) : [partOf(null, group)];
  const question = ['search', words.text, group];
  const place = after === null ? null : placeIn(readCursor(after, question));
  const hits: Hit[] = [];
  const shown = new Set<string>();
  let looked = 0;
  let last = place;
  for await (const { candidates, end, read } of candidatesFrom(ports.terms, parts, words, place)) {
    for (let from = 0; from < candidates.length; from += limit + 1) {
      const some = candidates.slice(from, from + limit + 1);
      const found = await visibleHits(ports, some, words, visibility);
      for (const [at, { place: own }] of some.entries()) {
        const hit = found[at];
        if (hit && hits.length === limit && !shown.has(hit.subject))
          return { hits, next: writeCursor(last, question) };
        if (hit && !shown.has(hit.subject)) {
          shown.add(hit.subject);
          hits.push(hit);
        }
        last = own;
      }
    }
    if (end === null) return { hits };
    last = end;
    looked += read;
    if (looked >= mostLooked) return { hits, next: writeCursor(last, question) };
    await yieldToEventLoop();
  }
  return { hits };
}

/** Where the search goes on: the rank, and the mark of the last entry in it; null at the start of the rank. */
type Place = readonly [rank: number, mark: string | null];

function placeIn(position: unknown): Place {
  const [rank, mark] = Array.isArray(position) ? position : [];
  return rank in ranks && (mark === null || typeof mark === 'string') ? [rank, mark] : throwBadCursor();
}

interface Candidate {
  readonly entry: SearchEntry;
  readonly rank: Rank;
  readonly place: Place;
}

interface CandidatePage {
  readonly candidates: readonly Candidate[];
  /** How many entries were read for it. Not all of them fit. */
  readonly read: number;
  /** The place after it; null at the end. */
  readonly end: Place | null;
}

/** So many entries are read at once, to rank them without asking for each rank. */
const mostRanked = 200;

/** The entries that fit, in order. */
async function* candidatesFrom(
  terms: SearchTerms,
  parts: readonly string[],
  words: Words,
  place: Place | null,
): AsyncGenerator<CandidatePage> {
  if (place === null) {
    const page = await terms.matching(setsFor(parts, words, undefined), { after: null, limit: mostRanked });
    if (page.isLast) {
      const ranked = page.found.flatMap((found) => candidateOf(found, words) ?? []);
      const candidates = ranks.flatMap((rank) => ranked.filter((one) => one.rank === rank));
      yield { candidates, read: page.found.length, end: null };
      return;
    }
  }
  const [first, mark] = place ?? [0, null];
  for (const [number, rank] of ranks.entries()) {
    if (number < first) continue;
    for (let after: string | null = number === first ? mark : null; ; ) {
      const page = await terms.matching(setsFor(parts, words, rank), { after, limit: entriesAtOnce });
      after = page.found.at(-1)?.mark ?? null;
      const isEnd = page.isLast || after === null;
      const afterRank: Place | null = number + 1 < ranks.length ? [number + 1, null] : null;
      const candidates = page.found.flatMap((found) => candidateOf(found, words, rank) ?? []);
      yield { candidates, read: page.found.length, end: isEnd ? afterRank : [number, after] };
      if (isEnd) break;
    }
  }
}

/** @param wanted undefined: any rank. */
function candidateOf(
  { record: entry, mark }: { readonly record: SearchEntry; readonly mark: string },
  words: Words,
  wanted?: Rank,
): Candidate | undefined {
  const rank = rankOf(entry.folded, words);
  if (rank === undefined || (wanted ?? rank) !== rank) return undefined;
  return { entry, rank, place: [ranks.indexOf(rank), mark] };
}

/** In the given order; undefined for what the reader may not see, and for things that come elsewhere in the answer. */
async function visibleHits(
  ports: SearchPorts,
  candidates: readonly Candidate[],
  words: Words,
  visibility: Visibility,
): Promise<(Hit | undefined)[]> {
  const entries = candidates.map(({ entry }) => entry);
  const named = entries.flatMap(({ statement }) => (statement === null ? [] : { id: statement }));
  const scope = { graphId: null, visibility };
  const statements = await statementsOf(ports.rows, named, scope);
  const given = await ports.names.among(
    'key',
    named.map(({ id }) => id),
    1,
  );
  const naming = new Set(given.flat().map(({ id }) => id));
  const isSeen = (id: string | null) => id !== null && statements.has(id) && naming.has(id);
  const subjects = [...new Set(entries.filter((one) => isSeen(one.statement)).map((one) => one.subject))];
  const names = await namesOf(ports, subjects, visibility);
  return await Promise.all(
    candidates.map(async ({ entry: { subject, folded, statement }, rank }) => {
      if (statement === null) return await visibleGraph(ports.graphs, subject, visibility);
      const source = isSeen(statement) ? statements.get(statement) : undefined;
      const own = names.get(subject) ?? [];
      // A thing is shown once: by the best of its names, and of several by the newest.
      const texts = [...own.map((name) => name.folded), ...(subject.startsWith('did:') ? [subject] : [])];
      const best = bestOf(texts, words);
      if (!source || (best && isBefore(best.rank, rank))) return undefined;
      if (best?.rank === rank && best.folded !== folded && texts.includes(folded)) return undefined;
      return { subject, names: distinctNames(own), source };
    }),
  );
}

function bestOf(texts: readonly string[], words: Words) {
  const ranked = texts.flatMap((folded) => {
    const rank = rankOf(folded, words);
    return rank === undefined ? [] : { folded, rank };
  });
  return ranks.flatMap((rank) => ranked.find((one) => one.rank === rank) ?? [])[0];
}

function isBefore(one: Rank, other: Rank): boolean {
  return ranks.indexOf(one) < ranks.indexOf(other);
}

async function visibleGraph(
  graphs: Pick<GraphStore, 'get'>,
  subject: string,
  visibility: Visibility,
): Promise<Hit | undefined> {
  const graph = await graphs.get(uuidIn(subject) ?? '');
  return graph && isVisible(graph.projectId, visibility)
    ? { subject, names: [graph.name], source: graph }
    : undefined;
}

async function namesOf(ports: NameReading, subjects: readonly string[], visibility: Visibility) {
  const found = await ports.names.among('bySubject', subjects, namesCompared);
  const statements = await statementsOf(ports.rows, found.flat(), { graphId: null, visibility });
  return new Map(
    subjects.map((subject, at) => [subject, (found[at] ?? []).filter(({ id }) => statements.has(id))]),
  );
}
