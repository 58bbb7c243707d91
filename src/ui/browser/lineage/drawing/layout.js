/** @import { ShownEdge, ShownNode } from '../shown.js' */
import { Graph, layout } from '@dagrejs/dagre';

/** @typedef {{ x: number, y: number }} Place */

/** The size of a node in units of the drawing. */
export const nodeSize = { width: 240, height: 52 };
/** The better ranking takes seconds on larger graphs. */
const fewNodes = 120;

/**
 * Places nodes in columns, from left to right along the edges; x and y are the centre of a node.
 * @param {{ nodes: ShownNode[], edges: ShownEdge[] }} drawing
 * @returns {{ places: Map<string, Place>, paths: Map<ShownEdge, Place[]> }}
 */
export function placed({ nodes, edges }) {
  const graph = new Graph();
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 20,
    edgesep: 10,
    ranksep: 84,
    ranker: nodes.length > fewNodes ? 'tight-tree' : 'network-simplex',
  });
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  const straight = edges.filter(({ from, to }) => from !== to);
  for (const { from, to } of straight) graph.setEdge(from, to, {});
  layout(graph);
  const places = new Map(nodes.map(({ id }) => [id, middle(graph.node(id))]));
  const paths = new Map(
    straight.map((edge) => {
      const [from, to] = [places.get(edge.from), places.get(edge.to)];
      const bends = graph.edge(edge.from, edge.to).points ?? [];
      return [edge, from && to ? between(from, bends.slice(1, -1).map(middle), to) : []];
    }),
  );
  return { places, paths };
}

/**
 * A path from the side of one node over the bends to the side of the other.
 * @param {Place} from
 * @param {Place[]} bends
 * @param {Place} to
 */
function between(from, bends, to) {
  const side = (from.x <= to.x ? 1 : -1) * (nodeSize.width / 2);
  const isBeside = Math.abs(from.x - to.x) <= nodeSize.width + 100;
  return [{ x: from.x + side, y: from.y }, ...(isBeside ? [] : bends), { x: to.x - side, y: to.y }];
}

/** @param {Place} place */
function middle({ x, y }) {
  return { x, y };
}

/**
 * Moves a layout so that one node keeps its position.
 * @param {ReturnType<typeof placed>} drawing
 * @param {Place | undefined} was
 * @param {Place | undefined} is
 */
export function anchored({ places, paths }, was, is) {
  if (!was || !is) return { places, paths };
  const moved = (/** @type {Place} */ { x, y }) => ({ x: x + was.x - is.x, y: y + was.y - is.y });
  return {
    places: new Map([...places].map(([id, place]) => [id, moved(place)])),
    paths: new Map([...paths].map(([edge, points]) => [edge, points.map(moved)])),
  };
}
