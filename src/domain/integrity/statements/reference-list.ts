import type { Page, ReferencePage, StatementScope } from '../ports.ts';
import { readLists } from './lists.ts';
import { otherPlaces, placeNumber, statementPlaces } from './places.ts';
import type { ListedStatement, StatementList, StatementRows, StatementRowsOfStore } from './rows.ts';
import { isInScope, rowsIn, storedStatement } from './scopes.ts';

/** Up to this many references of an identifier are read at once. */
const fewReferences = 64;
const placesInOrder = [...statementPlaces.map(placeNumber), otherPlaces];

export async function listReferences(
  rows: StatementRowsOfStore,
  identifier: string,
  page: Page,
  scope: StatementScope,
): Promise<ReferencePage> {
  const sources = rowsIn(rows, scope).flatMap((part) => {
    const few = once(() => readFew(part, identifier));
    return placesInOrder.map((place) => {
      const list: StatementList = { by: 'reference', identifier, places: [place] };
      return {
        place,
        entries: (row: ListedStatement) =>
          isInScope(row, scope) ? rolesAt(place, row, identifier).length : 0,
        async page(after: string | null, limit: number) {
          const known = after === null ? await few() : undefined;
          return known ? { rows: known.get(place) ?? [], next: null } : await part.page(list, after, limit);
        },
      };
    });
  });
  const { found, next } = await readLists(sources, page, ['references', identifier, scope.graphId]);
  const references = found.flatMap(({ row, source }) => {
    const statement = storedStatement(row, scope);
    return rolesAt(source.place, row, identifier).map((role) => ({ role, statement }));
  });
  return { references, ...(next !== undefined && { next }) };
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

/** All rows that refer to an identifier, by place, each newest first; undefined if there are many. */
async function readFew(rows: StatementRows, identifier: string) {
  const [referring] = await rows.referring([identifier], null, fewReferences);
  if (!referring) return undefined;
  const whole = await rows.whole(referring.map(({ jcsCid }) => jcsCid));
  const found = new Map<number, ListedStatement[]>();
  for (const [at, { mark }] of referring.entries()) {
    const row = whole[at];
    if (!row) continue;
    const meant = row.references.filter((it) => it.identifier === identifier);
    for (const place of new Set(meant.map((it) => placeNumber({ role: it.role, kind: row.kind }))))
      found.set(place, [...(found.get(place) ?? []), { ...row, mark }]);
  }
  return found;
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= work());
}
