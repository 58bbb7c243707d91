import type { Visibility } from '../../access/visibility.ts';
import { readCursor, throwBadCursor, writeCursor } from '../../cursors.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { Page } from '../ports.ts';
import type { IndexedGroup, SearchTerms } from './search-entries.ts';
import { partOf, type Rank, rankOf, ranks, setsFor, type Words } from './terms.ts';
import { type Hit, type HitPorts, namesAndFolders, type RankedEntry, visibleHits } from './visible-hits.ts';

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

interface Asked {
  readonly words: Words;
  readonly group: IndexedGroup;
}

export function thingSearch(ports: SearchPorts): ThingSearch {
  return {
    inGroup: (asked, page, visibility) => searchGroup(ports, asked, page, visibility),
    async namesOf(subjects, visibility) {
      const found = await namesAndFolders(ports, subjects, visibility);
      return new Map(Array.from(found, ([subject, { names }]) => [subject, names]));
    },
  };
}

interface SearchPorts extends HitPorts {
  readonly terms: SearchTerms;
}

interface HitPage {
  readonly hits: readonly Hit[];
  readonly next?: string;
}

/** A reader of more projects searches what everybody has, and only sees what they may see. */
const projectsSearched = 50;
const entriesAtOnce = 100;
/** The most entries that one answer looks at. */
const mostLooked = 1_000;

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

interface Candidate extends RankedEntry {
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
    const few = await terms.few(setsFor(parts, words, undefined), mostRanked);
    if (few) {
      const ranked = few.flatMap((found) => candidateOf(found, words) ?? []);
      const candidates = ranks.flatMap((rank) => ranked.filter((one) => one.rank === rank));
      yield { candidates, read: few.length, end: null };
      return;
    }
  }
  const [first, mark] = place ?? [0, null];
  for (const [number, rank] of ranks.entries()) {
    if (number < first) continue;
    const sets = setsFor(parts, words, rank);
    let isExact = false;
    for (let after: string | null = number === first ? mark : null; ; ) {
      const page = await terms.matching(sets, { after, limit: entriesAtOnce, isExact });
      after = page.found.at(-1)?.mark ?? null;
      const isEnd = page.isLast || after === null;
      const afterRank: Place | null = number + 1 < ranks.length ? [number + 1, null] : null;
      const candidates = page.found.flatMap((found) => candidateOf(found, words, rank) ?? []);
      isExact ||= 2 * candidates.length < page.found.length;
      yield { candidates, read: page.found.length, end: isEnd ? afterRank : [number, after] };
      if (isEnd) break;
    }
  }
}

/** @param wanted undefined: any rank. */
function candidateOf(
  { record: entry, mark }: { readonly record: RankedEntry['entry']; readonly mark: string },
  words: Words,
  wanted?: Rank,
): Candidate | undefined {
  const rank = rankOf(entry.folded, words);
  if (rank === undefined || (wanted ?? rank) !== rank) return undefined;
  return { entry, rank, place: [ranks.indexOf(rank), mark] };
}
