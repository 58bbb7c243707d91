import type { GraphEdge } from './graph.ts';

/** Longer rows of similar nodes are stacked after the first ones. */
const longestRow = 24;
const besideStack = 12;
/** Number of nodes to unstack at once. */
export const takenAtOnce = 24;

/** Nodes with the same drawn relations to the same nodes. */
export interface Stack {
  readonly id: string;
  /** Of their relations. */
  readonly roles: readonly string[];
  readonly members: readonly string[];
  /** The last unstacked node of the row. */
  readonly beside: string;
}

/**
 * @param near the drawn edges of each node.
 * @param taken the number of unstacked nodes by stack id.
 * @param isSingle whether a node is never stacked.
 * @returns the stack of each member.
 */
export function stacked(
  near: ReadonlyMap<string, readonly GraphEdge[]>,
  taken: ReadonlyMap<string, number>,
  isSingle: (id: string, edges: readonly GraphEdge[]) => boolean,
): Map<string, Stack> {
  const free = [...near].filter(([id, edges]) => !isSingle(id, edges));
  const rows = Map.groupBy(free, ([id, edges]) => relations(id, edges));
  const found = new Map<string, Stack>();
  for (const [id, row] of rows) {
    if (row.length <= longestRow) continue;
    const laid = besideStack + (taken.get(id) ?? 0);
    const members = row.slice(laid).map(([member]) => member);
    const roles = [...new Set((row[0]?.[1] ?? []).map(({ role }) => role))];
    for (const member of members) found.set(member, { id, roles, members, beside: row[laid - 1]?.[0] ?? '' });
  }
  return found;
}

function relations(id: string, edges: readonly GraphEdge[]): string {
  const each = edges.map(({ from, to, role }) => (from === id ? `${role} of ${to}` : `${role} from ${from}`));
  return [...new Set(each)].sort().join(', ');
}
