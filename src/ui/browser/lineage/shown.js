/** @import { Graph, GraphEdge } from './graph.js' */
import { otherEnd } from './graph.js';
import { stacked } from './stacks.js';

/** A lineage with at most this many nodes is drawn completely. */
const drawnWhole = 24;
/** The initial number of nodes of a larger lineage. */
const drawnAtFirst = 72;

/**
 * What the user has opened.
 * @typedef {object} View
 * @property {boolean} whole whether every edge is drawn
 * @property {ReadonlySet<string>} flowing nodes at which inputs and outputs of computations are drawn
 * @property {ReadonlySet<string>} opened nodes at which all edges are drawn
 * @property {ReadonlySet<string>} asked nodes that are fully loaded
 * @property {ReadonlySet<string>} revealed keys of edges that are always drawn
 * @property {ReadonlyMap<string, number>} taken number of unstacked nodes by stack id
 */

/**
 * @typedef {object} ShownNode
 * @property {string} id
 * @property {number} more minimum number of further edges; for a stack its size
 * @property {boolean} isOpen whether the user can fold it
 * @property {import('./stacks.js').Stack} [stack]
 */

/**
 * One line: all edges between two nodes in one direction.
 * @typedef {object} ShownEdge
 * @property {string} from
 * @property {string} to
 * @property {GraphEdge[]} edges
 */

/** @typedef {{ nodes: ShownNode[], edges: ShownEdge[] }} Picture */

/** @param {{ kind: string, role: string }} edge */
export function isFlow({ kind, role }) {
  return kind === 'computation' && (role === 'input' || role === 'output');
}

/**
 * The initial view: all edges of the start, and the inputs and outputs of
 * computations around it, the nearest first.
 * @param {Graph} graph
 * @param {boolean} whole
 * @returns {View}
 */
export function firstView(graph, whole) {
  const isSmall = graph.nodes.size <= drawnWhole;
  let view = {
    whole: whole || isSmall,
    flowing: new Set(),
    opened: new Set([graph.start]),
    asked: new Set([graph.start]),
    revealed: new Set(),
    taken: new Map(),
  };
  if (view.whole) return view;
  const queue = new Set([graph.start]);
  for (const id of queue) {
    const wider = { ...view, flowing: new Set([...view.flowing, id]) };
    const { nodes } = shown(graph, wider);
    if (nodes.length > drawnAtFirst) continue;
    view = wider;
    const ids = new Set(nodes.map((node) => node.id));
    for (const edge of graph.edgesAt(id)) {
      const next = otherEnd(edge, id);
      if (isFlow(edge) && ids.has(next)) queue.add(next);
    }
  }
  return view;
}

/**
 * The drawn part of a graph. Long rows of nodes with the same relations become a stack.
 * @param {Graph} graph
 * @param {View} view
 * @returns {Picture}
 */
export function shown(graph, view) {
  const { whole, flowing, opened, asked, revealed } = view;
  const isOpen = (/** @type {string} */ id) => whole || opened.has(id);
  const isDrawn = (/** @type {GraphEdge} */ edge) =>
    isOpen(edge.from) ||
    isOpen(edge.to) ||
    revealed.has(edge.key) ||
    (isFlow(edge) && (flowing.has(edge.from) || flowing.has(edge.to)));
  const drawn = [...graph.edges.values()].filter(isDrawn);
  const near = byEnd(drawn);
  if (!near.has(graph.start)) near.set(graph.start, []);
  const stacks = stacked(near, view, new Set([graph.start, ...opened]));
  /** @type {Map<string, ShownNode>} */
  const nodes = new Map();
  for (const [id, edges] of near) {
    const stack = stacks.get(id);
    const missing = asked.has(id) ? 0 : (graph.nodes.get(id)?.hidden ?? 0);
    const more = graph.edgesAt(id).length - edges.length + missing;
    if (stack) nodes.set(stack.id, { id: stack.id, more: stack.members.length, isOpen: false, stack });
    else nodes.set(id, { id, more, isOpen: !whole && opened.has(id) });
  }
  return { nodes: [...nodes.values()], edges: lines(drawn, (id) => stacks.get(id)?.id ?? id) };
}

/**
 * @param {GraphEdge[]} edges
 * @returns {Map<string, GraphEdge[]>}
 */
function byEnd(edges) {
  const near = new Map();
  for (const edge of edges) {
    for (const end of new Set([edge.from, edge.to])) {
      const there = near.get(end);
      if (there) there.push(edge);
      else near.set(end, [edge]);
    }
  }
  return near;
}

/**
 * @param {GraphEdge[]} edges
 * @param {(id: string) => string} place the node that represents another one
 * @returns {ShownEdge[]}
 */
function lines(edges, place) {
  /** @type {Map<string, ShownEdge>} */
  const found = new Map();
  for (const edge of edges) {
    const from = place(edge.from);
    const to = place(edge.to);
    const line = found.get(`${from} > ${to}`) ?? { from, to, edges: [] };
    line.edges.push(edge);
    found.set(`${from} > ${to}`, line);
  }
  return [...found.values()];
}
