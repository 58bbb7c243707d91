import type { Cid } from '../identifiers/cid.ts';
import type { GraphContents } from '../manifest/ports.ts';
import type { Page, ReferencePage, StatementPage, StatementScope, StatementStore } from '../ports.ts';
import { type ContentsPorts, graphContents } from './contents.ts';
import { readLists, type Source, sourceOf } from './lists.ts';
import { otherPlaces, placeNumber, statementPlaces } from './places.ts';
import type { StatementIndex } from './questions.ts';
import { findReferring } from './referring.ts';
import {
  isInScope,
  type ListedStatement,
  type ReferringRow,
  rowsIn,
  type StatementList,
  type StatementRows,
  type StatementRowsOfStore,
  storedStatement,
  type WholeStatement,
} from './rows.ts';
import { searchStatements } from './search.ts';

export function statementIndex(rows: StatementRowsOfStore): StatementIndex {
  return {
    form: (jcsCid, scope) => readForm(rows, jcsCid, scope),
    forms: (rdfcCid, page, scope) => readForms(rows, rdfcCid, page, scope),
    references: (identifiers, page, scope) => listReferences(rows, identifiers, page, scope),
    referringTo: (query, scope) => findReferring(rows, query, scope),
    search: (filter, page, scope) => searchStatements(rows, filter, page, scope),
  };
}

export function statementReads(rows: StatementRowsOfStore): Pick<StatementStore, 'byJcsCid' | 'byRdfcCid'> {
  return {
    byJcsCid: (jcsCid, visibility) => readForm(rows, jcsCid, { graphId: null, visibility }),
    async byRdfcCid(rdfcCid, visibility) {
      const scope = { graphId: null, visibility };
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page: StatementPage = await readForms(rows, rdfcCid, { after, limit: 1 }, scope);
        if (page.statements[0]) return page.statements[0];
        after = page.next;
      }
      return undefined;
    },
  };
}

async function readForm(rows: StatementRowsOfStore, jcsCid: Cid, scope: StatementScope) {
  for (const part of rowsIn(rows, scope)) {
    const [row] = await part.whole([jcsCid]);
    if (row && isInScope(row, scope)) return storedStatement(row, scope);
  }
  return undefined;
}

async function readForms(rows: StatementRowsOfStore, rdfcCid: Cid, page: Page, scope: StatementScope) {
  const sources = rowsIn(rows, scope).map((part) =>
    sourceOf(part, { by: 'id', rdfcCid }, (row) => isInScope(row, scope)),
  );
  const { found, next } = await readLists(sources, page, ['forms', rdfcCid.text, scope.graphId]);
  return {
    statements: found.map(({ row }) => storedStatement(row, scope)),
    ...(next !== undefined && { next }),
  };
}

export interface StoreOfRows extends ContentsPorts {
  readonly statements: Pick<StatementStore, 'putMany' | 'registrarOf'>;
}

export interface PlannedStatements {
  readonly statements: StatementStore;
  readonly statementIndex: StatementIndex;
  readonly graphContents: GraphContents;
}

/** Adds the queries that the domain plans over the rows of a store. */
export function planned<Of extends StoreOfRows>(store: Of): Omit<Of, 'statements'> & PlannedStatements {
  const { rows, statements } = store;
  return {
    ...store,
    statements: { ...statements, ...statementReads(rows) },
    statementIndex: statementIndex(rows),
    graphContents: graphContents(store),
  };
}

/** Up to this many references of an identifier are read at once. */
const fewReferences = 64;
const placesInOrder = [...statementPlaces.map(placeNumber), otherPlaces];

async function listReferences(
  rows: StatementRowsOfStore,
  identifiers: readonly string[],
  page: Page,
  scope: StatementScope,
): Promise<ReferencePage> {
  const sources: ReferenceSource[] = [];
  for (const part of rowsIn(rows, scope)) {
    const few = await readFew(part, identifiers);
    for (const place of placesInOrder)
      for (const [at, identifier] of identifiers.entries()) {
        const known = few[at] ?? undefined;
        const isEmpty = known !== undefined && !known.has(place);
        sources.push(isEmpty ? emptySource : referencesAt(part, { place, identifier, known }, scope));
      }
  }
  const more = identifiers.length > 1 ? [identifiers.length] : [];
  const question = ['references', identifiers[0], scope.graphId, ...more];
  const { found, next } = await readLists(sources, page, question);
  const references = found.flatMap(({ row, source }) => {
    const statement = storedStatement(row, scope);
    return rolesAt(source.place, row, source.identifier).map((role) => ({ role, statement }));
  });
  return { references, ...(next !== undefined && { next }) };
}

interface ReferenceSource extends Source {
  readonly place: number;
  readonly identifier: string;
}

/** An identifier has many places, and names of many kinds. Most have no references. */
const emptySource: ReferenceSource = {
  place: otherPlaces,
  identifier: '',
  isEmpty: true,
  entries: () => 0,
  page: async () => ({ rows: [], next: null }),
};

interface ReferencesAt extends Pick<ReferenceSource, 'place' | 'identifier'> {
  /** The rows by place, if they are few. */
  readonly known: ReadonlyMap<number, ListedStatement[]> | undefined;
}

function referencesAt(
  part: StatementRows,
  { place, identifier, known }: ReferencesAt,
  scope: StatementScope,
): ReferenceSource {
  const list: StatementList = { by: 'reference', identifier, places: [place] };
  return {
    place,
    identifier,
    entries: (row) => (isInScope(row, scope) ? rolesAt(place, row, identifier).length : 0),
    page: async (after, limit) =>
      known && after === null
        ? { rows: known.get(place) ?? [], next: null }
        : await part.page(list, after, limit),
  };
}

/** The roles of the identifier in this place. Foreign kinds can have several. */
function rolesAt(
  place: number,
  { references, kind }: Pick<ListedStatement, 'references' | 'kind'>,
  identifier: string,
): string[] {
  const meant = references.filter(
    (it) => it.identifier === identifier && placeNumber({ role: it.role, kind }) === place,
  );
  return meant.map(({ role }) => role).sort();
}

/** All rows that refer to each identifier, by place, each newest first; undefined if there are many. */
async function readFew(rows: StatementRows, identifiers: readonly string[]) {
  const all = await rows.referring(identifiers, null, fewReferences);
  const distinct = [...new Set(all.flatMap((referring) => referring ?? []))];
  const read = await rows.whole(distinct.map(({ jcsCid }) => jcsCid));
  const whole = new Map(distinct.map((row, at) => [row, read[at]]));
  return all.map((referring, at) => referring && byPlace(referring, String(identifiers[at]), whole));
}

function byPlace(
  referring: readonly ReferringRow[],
  identifier: string,
  whole: ReadonlyMap<ReferringRow, WholeStatement | undefined>,
): Map<number, ListedStatement[]> {
  const found = new Map<number, ListedStatement[]>();
  for (const one of referring) {
    const row = whole.get(one);
    if (!row) continue;
    const meant = row.references.filter((it) => it.identifier === identifier);
    for (const place of new Set(meant.map((it) => placeNumber({ role: it.role, kind: row.kind }))))
      found.set(place, [...(found.get(place) ?? []), { ...row, mark: one.mark }]);
  }
  return found;
}
