/** @import { Graph, GraphEdge } from './graph.js' */
import { otherEnd } from './graph.js';
import { stacked } from './stacks.js';

/** A lineage of so few nodes is drawn whole from the beginning. */
const drawnWhole = 24;
/** As many nodes are drawn of a larger one before the reader opens more. */
const drawnAtFirst = 72;

/**
 * What the reader has opened.
 * @typedef {object} View
 * @property {boolean} whole whether every edge is drawn
 * @property {ReadonlySet<string>} flowing nodes at which inputs and outputs of computations are drawn
 * @property {ReadonlySet<string>} opened nodes at which all edges are drawn
 * @property {ReadonlySet<string>} asked nodes of which an answer has told all that it has room for
 * @property {ReadonlySet<string>} revealed keys of edges that are drawn whatever else is
 * @property {ReadonlyMap<string, number>} taken how many were taken from a stack, by its id
 */

/**
 * @typedef {object} ShownNode
 * @property {string} id
 * @property {number} more at least so many edges can be shown besides; of a stack, what lies in it
 * @property {boolean} isOpen whether the reader can fold it
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
 * What is drawn before the reader does anything: all that is said of the start, and the inputs and outputs of
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
 * What is drawn of a graph. Long rows of things that stand in the same relations become a stack.
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
 * @param {(id: string) => string} place the node that stands for another one
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
