import { isVisible } from '../../access/visibility.ts';
import type { StatementScope, StoredStatement } from '../ports.ts';
import type { Membership, StatementRows, StatementRowsOfStore, WholeStatement } from './rows.ts';

/** The rows for a query: verified ones. In a graph also the unverified ones, which come first. */
export function rowsIn(
  { verified, unverified }: StatementRowsOfStore,
  { graphId, visibility: { projects } }: StatementScope,
): StatementRows[] {
  if (projects !== 'all' && projects.size === 0) return [];
  return graphId === null ? [verified] : [unverified, verified];
}

export function isInScope(
  { memberships }: { readonly memberships: readonly Membership[] },
  { graphId, visibility }: StatementScope,
): boolean {
  if (graphId === null && visibility.projects === 'all') return true;
  return memberships.some(
    (one) => (graphId === null || one.graphId === graphId) && isVisible(one.projectId, visibility),
  );
}

/** The statement with its visible graphs. */
export function storedStatement(
  { memberships, mark: _, ...row }: WholeStatement & { readonly mark?: string },
  { visibility }: StatementScope,
): StoredStatement {
  const visible = memberships.filter(({ projectId }) => isVisible(projectId, visibility));
  return { ...row, graphIds: visible.map(({ graphId }) => graphId) };
}
