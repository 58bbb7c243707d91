import { Graph, layout } from '@dagrejs/dagre';
import { otherEnd } from '../graph.ts';
import type { Picture, ShownEdge } from '../shown.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The centre of each node, the points of each line, and the middle of the text on lines that pass other nodes. */
export interface Layout {
  readonly places: ReadonlyMap<string, Point>;
  readonly paths: ReadonlyMap<ShownEdge, readonly Point[]>;
  readonly labels: ReadonlyMap<ShownEdge, Point>;
}

/** The size of a node in units of the drawing. */
export const nodeSize = { width: 208, height: 56 };
const columnGap = 56;
/** The arrowhead, and space around the text. */
const besideLabel = 24;
const labelHeight = 18;
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
    graph.setEdge(edge.from, edge.to, { width, height: labelHeight, labelpos: 'c' });
  }
  layout(graph);
  const places = new Map(nodes.map(({ id }) => [id, middle(graph.node(id))]));
  const paths = new Map<ShownEdge, Point[]>();
  const labels = new Map<ShownEdge, Point>();
  for (const edge of straight) {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    const { points = [], x, y } = graph.edge(edge.from, edge.to);
    const bends = points.slice(1, -1).map(middle);
    // Lines between neighbouring columns have one bend, which they do not need.
    const isLong = bends.length > 1;
    paths.set(edge, from && to ? between(from, isLong ? bends : [], to) : []);
    if (isLong && x !== undefined && y !== undefined) labels.set(edge, { x, y });
  }
  return { places, paths, labels };
}

/** A path from the side of one node over the bends to the side of the other. */
function between(from: Point, bends: readonly Point[], to: Point): Point[] {
  const side = (from.x <= to.x ? 1 : -1) * (nodeSize.width / 2);
  return [{ x: from.x + side, y: from.y }, ...bends, { x: to.x - side, y: to.y }];
}

function middle({ x, y }: Point): Point {
  return { x, y };
}

/** Moves a layout so that one node keeps its position. */
export function anchored(drawing: Layout, was: Point | undefined, is: Point | undefined): Layout {
  if (!was || !is) return drawing;
  const moved = ({ x, y }: Point) => ({ x: x + was.x - is.x, y: y + was.y - is.y });
  return {
    places: new Map([...drawing.places].map(([id, place]) => [id, moved(place)])),
    paths: new Map([...drawing.paths].map(([edge, points]) => [edge, points.map(moved)])),
    labels: new Map([...drawing.labels].map(([edge, place]) => [edge, moved(place)])),
  };
}

/** The target of an arrow key: left and right to the nearest node along the edges, up and down within the column. */
export function walked(
  key: string,
  id: string,
  places: ReadonlyMap<string, Point>,
  edges: readonly ShownEdge[],
): string | undefined {
  const here = places.get(id);
  if (!here) return undefined;
  const isUpright = key === 'ArrowUp' || key === 'ArrowDown';
  const forwards = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
  const linked = edges.filter(({ from, to }) => from === id || to === id).map((edge) => otherEnd(edge, id));
  const candidates = (isUpright ? [...places.keys()] : linked).flatMap((other) => {
    const there = places.get(other);
    if (!there || other === id) return [];
    const across = Math.abs(isUpright ? there.x - here.x : there.y - here.y);
    const along = forwards * (isUpright ? there.y - here.y : there.x - here.x);
    return along > 0 && (!isUpright || across < 1) ? [{ other, along, across }] : [];
  });
  const [nearest] = candidates.sort((a, b) => a.along - b.along || a.across - b.across);
  return nearest?.other;
}
