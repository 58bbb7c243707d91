import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { StatementRow, StatementScope } from '../ports.ts';
import { readList, sourceOf } from './lists.ts';
import { placeNumber } from './places.ts';
import type { Referring, ReferringQuery } from './questions.ts';
import type { ReferringStatement, StatementRows, StatementRowsOfStore } from './rows.ts';
import { isInScope, rowsIn } from './scopes.ts';

/** An identifier with no more references than this is read at one go. */
const fewReferences = 64;
/** References that are answered for each statement wanted, and for a whole query: some statements have thousands. */
const referencesAnswered = 32;
const referencesAnsweredInAll = 200_000;
/** Rows that are looked at place by place for a whole query, and bytes of those that are found in one place. */
const rowsLooked = 50_000;
const bytesFound = 16 << 20;
const typeLength = 100;

interface Entry {
  readonly role: string;
  readonly statement: ReferringStatement;
}

type EntriesByPlace = ReadonlyMap<number, readonly Entry[]>;

/** What refers to identifiers, for traversals. Each query reads a bounded number of rows. */
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
    for (const { place, limit } of places) {
      const there: Entry[] = [];
      for (const { part, few } of parts) {
        const known = few.get(identifier);
        if (known) there.push(...(known.get(place) ?? []));
        else isCut = (await addListed(there, part, identifier, place, limit, scope, budget)) || isCut;
      }
      const taken = budget.take(there.slice(0, limit));
      found.push(...taken);
      isCut ||= taken.length < there.length;
    }
    answers.push({ found, isCut });
    await yieldToEventLoop();
  }
  return answers;
}

/** What a query may still answer and look at. */
class Budget {
  readonly #taken = new Set<ReferringStatement>();
  #statements: number;
  #references: number;
  looks = rowsLooked;

  constructor(most: number) {
    this.#statements = most;
    this.#references = Math.min(referencesAnswered * most, referencesAnsweredInAll);
  }

  /** As many as there is room for. */
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

/** What refers to each identifier, except those to which much refers. */
async function fewByPlace(
  rows: StatementRows,
  identifiers: readonly string[],
  places: readonly number[],
  scope: StatementScope,
): Promise<Map<string, EntriesByPlace>> {
  const asked = new Set(identifiers);
  const meant = new Map<ReferringStatement, ReturnType<typeof rolesByIdentifier>>();
  const rolesOf = (row: ReferringStatement, identifier: string) => {
    const roles = meant.get(row) ?? rolesByIdentifier(row, asked);
    meant.set(row, roles);
    return roles.get(identifier) ?? [];
  };
  const found = new Map<string, EntriesByPlace>();
  for (const [at, referring] of (await rows.referring(identifiers, places, fewReferences)).entries()) {
    const identifier = identifiers[at] ?? '';
    const visible = referring?.filter((row) => isInScope(row, scope));
    const entries = visible?.flatMap((row) =>
      rolesOf(row, identifier).map(({ role }) => ({ role, statement: row })),
    );
    if (entries) found.set(identifier, Map.groupBy(entries, placeOf));
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

/** Adds what refers from one place to an identifier to which much refers. @returns whether there can be more. */
async function addListed(
  entries: Entry[],
  rows: StatementRows,
  identifier: string,
  place: number,
  limit: number,
  scope: StatementScope,
  budget: Budget,
): Promise<boolean> {
  const room = { taken: 0, entries: limit, looks: budget.looks, bytes: bytesFound };
  const list = { by: 'reference', identifier, places: [place] } as const;
  const source = sourceOf(rows, list, (row) => isInScope(row, scope));
  const { found, rest } = await readList(source, null, room);
  budget.looks = room.looks;
  for (const row of found) {
    const statement = referringStatement(row);
    const meant = row.references.filter((it) => it.identifier === identifier);
    for (const { role } of meant)
      if (placeOf({ role, statement }) === place) entries.push({ role, statement });
  }
  return rest !== undefined;
}

export function referringStatement({
  rdfcCid,
  kind,
  references,
  isTrusted,
  jcs,
}: StatementRow): ReferringStatement {
  const { type } = kind === 'AssociationRegistration' ? JSON.parse(new TextDecoder().decode(jcs)) : {};
  const associationType = typeof type === 'string' && type.length <= typeLength ? type : null;
  return { rdfcCid, kind, references, isTrusted, associationType };
}
