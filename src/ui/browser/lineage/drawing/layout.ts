import { Graph, layout } from '@dagrejs/dagre';
import type { Picture, ShownEdge } from '../shown.ts';

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The centre of each node, and the points of each line. */
export interface Layout {
  readonly places: ReadonlyMap<string, Place>;
  readonly paths: ReadonlyMap<ShownEdge, readonly Place[]>;
}

/** The size of a node in units of the drawing. */
export const nodeSize = { width: 208, height: 56 };
const columnGap = 56;
/** The arrowhead, and space around the text. */
const besideLabel = 24;
/** The better ranking takes seconds on larger graphs. */
const fewNodes = 120;

/**
 * Places nodes in columns, from left to right along the edges.
 * @param labelWidth of the text on a line.
 */
export function placed({ nodes, edges }: Picture, labelWidth: (edge: ShownEdge) => number = () => 0): Layout {
  const graph = new Graph();
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 22,
    edgesep: 10,
    ranksep: columnGap,
    ranker: nodes.length > fewNodes ? 'tight-tree' : 'network-simplex',
  });
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  const straight = edges.filter(({ from, to }) => from !== to);
  for (const edge of straight) {
    const width = Math.max(0, labelWidth(edge) + besideLabel - columnGap);
    graph.setEdge(edge.from, edge.to, { width, height: 0, labelpos: 'c' });
  }
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

/** A path from the side of one node over the bends to the side of the other. */
function between(from: Place, bends: readonly Place[], to: Place): Place[] {
  const side = (from.x <= to.x ? 1 : -1) * (nodeSize.width / 2);
  const isBeside = Math.abs(from.x - to.x) <= nodeSize.width + 100;
  return [{ x: from.x + side, y: from.y }, ...(isBeside ? [] : bends), { x: to.x - side, y: to.y }];
}

function middle({ x, y }: Place): Place {
  return { x, y };
}

/** Moves a layout so that one node keeps its position. */
export function anchored(drawing: Layout, was: Place | undefined, is: Place | undefined): Layout {
  if (!was || !is) return drawing;
  const moved = ({ x, y }: Place) => ({ x: x + was.x - is.x, y: y + was.y - is.y });
  return {
    places: new Map([...drawing.places].map(([id, place]) => [id, moved(place)])),
    paths: new Map([...drawing.paths].map(([edge, points]) => [edge, points.map(moved)])),
  };
}
