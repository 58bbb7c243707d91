import { mapConcurrent } from '../../map-concurrent.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { StatementScope } from '../ports.ts';
import { readList, sourceOf } from './lists.ts';
import { placeNumber } from './places.ts';
import type { Referring, ReferringQuery, WantedPlace } from './questions.ts';
import {
  isInScope,
  type ReferringStatement,
  referringStatement,
  rowsIn,
  type StatementRows,
  type StatementRowsOfStore,
} from './rows.ts';

/** Up to this many references of an identifier are read at once. */
const fewReferences = 64;
/**
 * The most references in an answer, for each wanted statement and for a whole query. Some statements have thousands.
 */
const referencesAnswered = 32;
const referencesAnsweredInAll = 200_000;
/** Limits for reading place by place: rows for a whole query, and bytes for one place. */
const rowsLooked = 50_000;
const bytesFound = 16 << 20;
/** Rows to read at once from one place and from several, and places to read concurrently. */
const rowsAtOnce = 1_000;
const rowsTogether = 100;
const placesAtOnce = 4;

interface Entry {
  readonly role: string;
  readonly statement: ReferringStatement;
}

interface Entries {
  readonly byPlace: ReadonlyMap<number, readonly Entry[]>;
  readonly isLonger: boolean;
}

/** Finds what refers to identifiers. Each query reads a bounded number of rows. */
export async function findReferring(
  rows: StatementRowsOfStore,
  { identifiers, places, most }: ReferringQuery,
  scope: StatementScope,
): Promise<Referring[]> {
  const wanted = places.map(({ place }) => place);
  const parts = await Promise.all(
    rowsIn(rows, scope).map(async (part) => ({
      part,
      few: await fewByPlace(part, identifiers, wanted, scope),
    })),
  );
  const budget = new Budget(most);
  const answers: Referring[] = [];
  for (const identifier of identifiers) {
    const found: Entry[] = [];
    let isCut = false;
    const sources: Entries[] = [];
    for (const { part, few } of parts)
      sources.push(
        few.get(identifier) ?? (await manyByPlace({ rows: part, scope, budget }, identifier, places)),
      );
    for (const { place, limit } of places) {
      const there = sources.flatMap(({ byPlace }) => byPlace.get(place) ?? []);
      const taken = budget.take(there.slice(0, limit));
      found.push(...taken);
      isCut ||= taken.length < there.length;
    }
    answers.push({ found, isCut: isCut || sources.some(({ isLonger }) => isLonger) });
    await yieldToEventLoop();
  }
  return answers;
}

/** What a query may still return and read. */
class Budget {
  readonly #taken = new Set<ReferringStatement>();
  #statements: number;
  #references: number;
  looks = rowsLooked;

  constructor(most: number) {
    this.#statements = most;
    this.#references = Math.min(referencesAnswered * most, referencesAnsweredInAll);
  }

  take(entries: readonly Entry[]): readonly Entry[] {
    for (const [at, { statement }] of entries.entries()) {
      if (this.#statements <= 0 || this.#references <= 0) return entries.slice(0, at);
      this.#statements -= 1;
      if (!this.#taken.has(statement)) this.#references -= statement.references.length;
      this.#taken.add(statement);
    }
    return entries;
  }
}

/** Reads identifiers with few references. The others are missing in the result. */
async function fewByPlace(
  rows: StatementRows,
  identifiers: readonly string[],
  places: readonly number[],
  scope: StatementScope,
): Promise<Map<string, Entries>> {
  const asked = new Set(identifiers);
  const meant = new Map<ReferringStatement, ReturnType<typeof rolesByIdentifier>>();
  const rolesOf = (row: ReferringStatement, identifier: string) => {
    const roles = meant.get(row) ?? rolesByIdentifier(row, asked);
    meant.set(row, roles);
    return roles.get(identifier) ?? [];
  };
  const found = new Map<string, Entries>();
  for (const [at, referring] of (await rows.referring(identifiers, places, fewReferences)).entries()) {
    const identifier = identifiers[at] ?? '';
    const visible = referring?.filter((row) => isInScope(row, scope));
    const entries = visible?.flatMap((row) =>
      rolesOf(row, identifier).map(({ role }) => ({ role, statement: row })),
    );
    if (entries) found.set(identifier, { byPlace: Map.groupBy(entries, placeOf), isLonger: false });
    await yieldToEventLoop();
  }
  return found;
}

function rolesByIdentifier({ references }: ReferringStatement, asked: ReadonlySet<string>) {
  return Map.groupBy(
    references.filter(({ identifier }) => asked.has(identifier)),
    ({ identifier }) => identifier,
  );
}

function placeOf({ role, statement: { kind } }: Entry): number {
  return placeNumber({ role, kind });
}

interface Reading {
  readonly rows: StatementRows;
  readonly scope: StatementScope;
  readonly budget: Budget;
}

/** Reads an identifier with many references: all places together if one page is enough, else place by place. */
async function manyByPlace(reading: Reading, identifier: string, wanted: readonly WantedPlace[]) {
  const found: Entry[] = [];
  let isLonger = false;
  const read = (places: readonly number[], limit: number) => listed(reading, identifier, places, limit);
  for (const [limit, group] of Map.groupBy(wanted, (each) => each.limit)) {
    const places = group.map(({ place }) => place);
    const together = places.length > 1 ? await read(places, Math.min(limit, rowsTogether)) : undefined;
    const each = (place: number) => read([place], limit);
    const parts =
      together?.isLonger === false
        ? [together]
        : await Array.fromAsync(mapConcurrent(places, placesAtOnce, each));
    found.push(...parts.flatMap(({ entries }) => entries));
    isLonger ||= parts.some((part) => part.isLonger);
  }
  return { byPlace: Map.groupBy(found, placeOf), isLonger };
}

async function listed(
  { rows, scope, budget }: Reading,
  identifier: string,
  places: readonly number[],
  limit: number,
): Promise<{ entries: Entry[]; isLonger: boolean }> {
  const looks = budget.looks;
  const room = { taken: 0, entries: limit, looks, bytes: bytesFound };
  const source = sourceOf(rows, { by: 'reference', identifier, places }, (row) => isInScope(row, scope));
  const { found, rest } = await readList(source, null, room, rowsAtOnce);
  budget.looks -= looks - room.looks;
  const entries = found.map(referringStatement).flatMap((statement) =>
    statement.references
      .filter((it) => it.identifier === identifier)
      .map(({ role }) => ({ role, statement }))
      .filter((entry) => places.includes(placeOf(entry))),
  );
  return { entries, isLonger: rest !== undefined };
}
