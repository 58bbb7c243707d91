/** @import { GraphEdge } from './graph.js' */
/** @import { View } from './shown.js' */

/** Longer rows of similar nodes are stacked after the first ones. */
const longestRow = 24;
const besideStack = 12;
/** Number of nodes to unstack at once. */
export const takenAtOnce = 24;

/**
 * Nodes with the same drawn relations to the same nodes.
 * @typedef {object} Stack
 * @property {string} id
 * @property {string[]} roles of their relations
 * @property {string[]} members
 * @property {string} beside the last unstacked node of the row
 */

/**
 * @param {ReadonlyMap<string, GraphEdge[]>} near the drawn edges of each node
 * @param {View} view
 * @param {ReadonlySet<string>} single nodes that are never stacked
 * @returns {Map<string, Stack>} by each member
 */
export function stacked(near, { taken, revealed }, single) {
  const free = [...near].filter(
    ([id, edges]) => !single.has(id) && !edges.some(({ key }) => revealed.has(key)),
  );
  const rows = Map.groupBy(free, ([id, edges]) => relations(id, edges));
  /** @type {Map<string, Stack>} */
  const found = new Map();
  for (const [id, row] of rows) {
    if (row.length <= longestRow) continue;
    const laid = besideStack + (taken.get(id) ?? 0);
    const members = row.slice(laid).map(([member]) => member);
    const roles = [...new Set((row[0]?.[1] ?? []).map(({ role }) => role))];
    for (const member of members) found.set(member, { id, roles, members, beside: row[laid - 1]?.[0] ?? '' });
  }
  return found;
}

/**
 * @param {string} id
 * @param {GraphEdge[]} edges
 */
function relations(id, edges) {
  const each = edges.map(({ from, to, role }) => (from === id ? `${role} of ${to}` : `${role} from ${from}`));
  return [...new Set(each)].sort().join(', ');
}
