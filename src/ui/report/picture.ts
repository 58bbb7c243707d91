import { Graph, layout } from '@dagrejs/dagre';
import type { Origins } from '../../domain/integrity/report/origins.ts';

/** A node of the drawing: a thing, a computation, or a stack of things that are not drawn one by one. */
export interface DrawnNode {
  readonly id: string;
  readonly kind: 'thing' | 'step' | 'stack';
  /** How many things a stack has. */
  readonly count: number;
  /** Whether it has origins that are not drawn. */
  readonly hasMore: boolean;
}

interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly isProgram: boolean;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly (DrawnNode & Point)[];
  readonly edges: readonly (DrawnEdge & { readonly points: readonly Point[] })[];
}

export const nodeSize = { width: 176, height: 46 };
/** As much as stays readable on a page of A4. */
const mostNodes = 34;
const endsDrawn = 3;

/** Places the nearest origins of a thing from top to bottom, with the thing at the bottom. */
export function pictureOf(origins: Origins): Picture {
  const { nodes, edges } = nearest(origins);
  const graph = new Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 14, edgesep: 8, ranksep: 30, marginx: 4, marginy: 4 });
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  for (const { from, to } of edges) graph.setEdge(from, to, {});
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: nodes.map((node) => ({ ...node, ...pointOf(graph.node(node.id)) })),
    edges: edges.map((edge) => ({
      ...edge,
      points: (graph.edge(edge.from, edge.to).points ?? []).map(pointOf),
    })),
  };
}

function pointOf({ x = 0, y = 0 }: Partial<Point>): Point {
  return { x, y };
}

/** Breadth first from the start, so that the nearest origins are drawn. */
function nearest(origins: Origins): { nodes: DrawnNode[]; edges: DrawnEdge[] } {
  const { start, steps, madeBy, cut } = origins;
  const drawn = new Map<string, Pick<DrawnNode, 'kind' | 'count'>>();
  const edges = new Map<string, DrawnEdge>();
  const link = (from: string, to: string, isProgram = false) => {
    if (from !== to) edges.set(`${from} ${to}`, { from, to, isProgram });
  };
  drawn.set(start, { kind: steps.has(start) ? 'step' : 'thing', count: 1 });
  for (const [id, { kind }] of drawn) {
    if (kind === 'thing') {
      for (const maker of madeBy.get(id) ?? []) {
        if (!drawn.has(maker) && drawn.size >= mostNodes) continue;
        drawn.getOrInsertComputed(maker, () => ({ kind: 'step', count: 1 }));
        link(maker, id);
      }
    }
    const step = kind === 'step' ? steps.get(id) : undefined;
    if (!step) continue;
    const programs = new Set(step.programs);
    const ends = [...new Set([...step.programs, ...step.inputs])];
    const known = ends.filter((end) => drawn.has(end));
    const fresh = ends.filter((end) => !drawn.has(end));
    const room = Math.max(Math.min(endsDrawn, mostNodes - drawn.size), 0);
    // A stack of one would take the room of what it hides.
    const taken = fresh.length <= room + 1 ? fresh : fresh.slice(0, room);
    for (const end of taken) drawn.set(end, { kind: 'thing', count: 1 });
    for (const end of [...known, ...taken]) link(end, id, programs.has(end));
    if (taken.length === fresh.length) continue;
    const stack = `stack of ${id}`;
    drawn.set(stack, { kind: 'stack', count: fresh.length - taken.length });
    link(stack, id);
  }
  const hasMore = (id: string) =>
    madeBy.has(id)
      ? madeBy.get(id)?.some((maker) => !drawn.has(maker)) === true
      : !steps.has(id) && (cut.get(id) ?? 0) > 0;
  const nodes = [...drawn].map(([id, node]) => ({ id, ...node, hasMore: hasMore(id) }));
  return { nodes, edges: [...edges.values()] };
}
