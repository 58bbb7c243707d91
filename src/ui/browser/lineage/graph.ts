import type { LineageAnswer, LineageEdgeAnswer } from '../../../contract/integrity/lineage.ts';
import type { Names } from '../statements/shown-text.ts';

type AnsweredNode = LineageAnswer['nodes'][number];

export interface GraphNode extends Omit<AnsweredNode, 'depth' | 'truncated' | 'hidden_edges'> {
  /** Minimum number of edges that are not in the graph. */
  readonly hidden: number;
}

export interface GraphEdge extends LineageEdgeAnswer {
  readonly key: string;
}

/** The parts of an answer that the page shows. */
export interface Lineage extends Pick<LineageAnswer, 'id' | 'retracted'> {
  readonly nodes: readonly Omit<AnsweredNode, 'depth' | 'truncated'>[];
  readonly edges: readonly LineageEdgeAnswer[];
}

/** The combined answers of the service. */
export class Graph {
  readonly start: string;
  readonly nodes = new Map<string, GraphNode>();
  readonly edges = new Map<string, GraphEdge>();
  /** Of what the answers do not name. */
  readonly names = new Map<string, string>();
  /** The most retracted computations that an answer has left out. */
  retracted = 0;
  readonly #near = new Map<string, GraphEdge[]>();

  constructor(first: Lineage, names?: Names) {
    this.start = first.id;
    this.merge(first, names);
  }

  /**
   * Adds another answer. Its count of hidden edges replaces that of the requested node. For other nodes the count can
   * only decrease.
   */
  merge(answer: Lineage, names: Names = new Map()): void {
    for (const [id, name] of names) this.names.set(id, name);
    this.retracted = Math.max(this.retracted, answer.retracted ?? 0);
    for (const { hidden_edges: hidden = 0, ...node } of answer.nodes) {
      const known = this.nodes.get(node.id);
      const fewest = known && node.id !== answer.id ? Math.min(known.hidden, hidden) : hidden;
      this.nodes.set(node.id, { ...known, ...node, hidden: fewest });
    }
    for (const edge of answer.edges) this.#add(edge);
  }

  edgesAt(id: string): readonly GraphEdge[] {
    return this.#near.get(id) ?? [];
  }

  /** The edges of a shortest path from the start to a node. */
  wayTo(id: string): readonly GraphEdge[] {
    const ways = new Map<string, readonly GraphEdge[]>([[this.start, []]]);
    for (const [at, way] of ways) {
      if (at === id) return way;
      for (const edge of this.edgesAt(at)) {
        const next = otherEnd(edge, at);
        if (!ways.has(next)) ways.set(next, [...way, edge]);
      }
    }
    return [];
  }

  #add(edge: Omit<GraphEdge, 'key'>): void {
    const key = [edge.statement, edge.from, edge.to, edge.role].join(' ');
    if (this.edges.has(key)) return;
    const kept = { ...edge, key };
    this.edges.set(key, kept);
    addAtEnds(this.#near, kept);
  }
}

/** Adds an edge to the lists of both its nodes. */
export function addAtEnds(near: Map<string, GraphEdge[]>, edge: GraphEdge): void {
  for (const end of new Set([edge.from, edge.to])) {
    const edges = near.get(end);
    if (edges) edges.push(edge);
    else near.set(end, [edge]);
  }
}

/** The node that an edge leads to from one of its ends. */
export function otherEnd(edge: { readonly from: string; readonly to: string }, id: string): string {
  return edge.from === id ? edge.to : edge.from;
}
