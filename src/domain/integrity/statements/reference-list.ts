import type { Page, ReferencePage, StatementScope } from '../ports.ts';
import { readLists } from './lists.ts';
import { otherPlaces, placeNumber, statementPlaces } from './places.ts';
import type { ListedStatement, StatementList, StatementRows, StatementRowsOfStore } from './rows.ts';
import { isInScope, rowsIn, storedStatement } from './scopes.ts';

/** An identifier with no more references than this is read at one go. */
const fewReferences = 64;
/** In the order in which references are listed. */
const placesInOrder = [...statementPlaces.map(placeNumber), otherPlaces];

/** What refers to an identifier, place by place. */
export async function listReferences(
  rows: StatementRowsOfStore,
  identifier: string,
  page: Page,
  scope: StatementScope,
): Promise<ReferencePage> {
  const rolesAt = (place: number, { references, kind }: Pick<ListedStatement, 'references' | 'kind'>) => {
    const meant = references.filter(
      (it) => it.identifier === identifier && placeNumber({ ...it, kind }) === place,
    );
    return meant.map(({ role }) => role).sort();
  };
  const sources = rowsIn(rows, scope).flatMap((part) => {
    const few = once(() => readFew(part, identifier));
    return placesInOrder.map((place) => {
      const list: StatementList = { by: 'reference', identifier, places: [place] };
      const roles = (row: ListedStatement) => rolesAt(place, row);
      return {
        roles,
        entries: (row: ListedStatement) => (isInScope(row, scope) ? roles(row).length : 0),
        async page(after: string | null, limit: number) {
          const all = after === null ? await few() : undefined;
          if (!all) return await part.page(list, after, limit);
          return { rows: all.filter((row) => roles(row).length > 0), next: null };
        },
      };
    });
  });
  const { found, next } = await readLists(sources, page, ['references', identifier, scope.graphId]);
  const references = found.flatMap(({ row, source }) => {
    const statement = storedStatement(row, scope);
    return source.roles(row).map((role) => ({ role, statement }));
  });
  return { references, ...(next !== undefined && { next }) };
}

/** All rows that refer to an identifier, newest first; undefined where they are many. */
async function readFew(rows: StatementRows, identifier: string): Promise<ListedStatement[] | undefined> {
  const [referring] = await rows.referring([identifier], null, fewReferences);
  if (!referring) return undefined;
  const whole = await rows.whole(referring.map(({ jcsCid }) => jcsCid));
  return referring.flatMap(({ mark }, at) => {
    const row = whole[at];
    return row ? [{ ...row, mark }] : [];
  });
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => (result ??= work());
}
