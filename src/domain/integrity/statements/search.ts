import type { Page, StatementFilter, StatementPage, StatementScope } from '../ports.ts';
import { readLists, sourceOf } from './lists.ts';
import { otherPlaces, placeNumber, statementPlaces } from './places.ts';
import {
  isInScope,
  rowsIn,
  type StatementList,
  type StatementRowsOfStore,
  storedStatement,
  type WholeStatement,
} from './rows.ts';

const subjectRoles = ['subject', 'credentialSubject', 'payload'];
const registrantRoles = ['registeredBy'];
/** A reader of more projects searches all rows. */
const projectsListed = 100;

export async function searchStatements(
  rows: StatementRowsOfStore,
  filter: StatementFilter,
  page: Page,
  scope: StatementScope,
): Promise<StatementPage> {
  const list = drivingList(filter, scope);
  const accepts = (row: WholeStatement) => isInScope(row, scope) && fits(row, filter);
  const sources = rowsIn(rows, scope).map((part) => sourceOf(part, list, accepts));
  const { found, next } = await readLists(sources, page, ['search', filter, scope.graphId, list.by]);
  return {
    statements: found.map(({ row }) => storedStatement(row, scope)),
    ...(next !== undefined && { next }),
  };
}

/** Chooses the first list that applies. Earlier ones are usually shorter. */
function drivingList(
  { kind, subject, registeredBy, from, until }: StatementFilter,
  { graphId, visibility: { projects } }: StatementScope,
): StatementList {
  if (subject !== null)
    return { by: 'reference', identifier: subject, places: placesWith(subjectRoles, kind) };
  if (registeredBy !== null)
    return { by: 'reference', identifier: registeredBy, places: placesWith(registrantRoles, kind) };
  if (graphId !== null) return { by: 'graph', graphId };
  if (from !== null || until !== null) return { by: 'time', from, until };
  if (kind !== null) return { by: 'kind', kind };
  if (projects === 'all' || projects.size > projectsListed) return { by: 'storing' };
  return { by: 'projects', projects: [...projects] };
}

function placesWith(roles: readonly string[], kind: string | null): number[] {
  if (kind !== null) return [...new Set(roles.map((role) => placeNumber({ role, kind })))];
  const known = statementPlaces.filter(({ role }) => roles.includes(role));
  return [...known.map(placeNumber), otherPlaces];
}

export function fits(
  row: WholeStatement,
  { kind, subject, registeredBy, from, until }: StatementFilter,
): boolean {
  const refers = (identifier: string | null, roles: readonly string[]) =>
    identifier === null ||
    row.references.some((it) => it.identifier === identifier && roles.includes(it.role));
  const { time } = row;
  return (
    (kind === null || row.kind === kind) &&
    ((from === null && until === null) ||
      (time !== null && time >= (from ?? time) && (until === null || time < until))) &&
    refers(subject, subjectRoles) &&
    refers(registeredBy, registrantRoles)
  );
}
