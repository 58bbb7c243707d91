import { type TrustMark, trustMark } from '../../../contract/words/trust.ts';
import { addAtEnds, type Graph, type GraphEdge, otherEnd } from './graph.ts';
import { type Stack, stacked } from './stacks.ts';

/** A lineage with fewer nodes is drawn completely, except for its facts. */
const drawnWhole = 40;
/** The initial number of nodes of a larger lineage. */
const drawnAtFirst = 72;

/** What the user has opened. */
export interface View {
  /** Whether facts are drawn. Otherwise they are only in the panel. */
  readonly facts: boolean;
  /** Whether every edge is drawn, except for facts. */
  readonly whole: boolean;
  /** The statements to draw; null for all. */
  readonly trust: TrustMark | null;
  /** Nodes at which inputs and outputs of computations are drawn. */
  readonly flowing: ReadonlySet<string>;
  /** Nodes at which all edges are drawn. */
  readonly opened: ReadonlySet<string>;
  /** Nodes that are fully loaded. */
  readonly asked: ReadonlySet<string>;
  /** Keys of edges that are always drawn. */
  readonly revealed: ReadonlySet<string>;
  /** Number of unstacked nodes by stack id. */
  readonly taken: ReadonlyMap<string, number>;
}

export interface ShownNode {
  readonly id: string;
  /** Minimum number of further edges; for a stack its size. */
  readonly more: number;
  /** Whether the user can fold it. */
  readonly isOpen: boolean;
  readonly stack?: Stack;
}

/** One line: all edges between two nodes in one direction. */
export interface ShownEdge {
  readonly from: string;
  readonly to: string;
  readonly edges: readonly GraphEdge[];
}

export interface Picture {
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly ShownEdge[];
}

export function isFlow({ kind, role }: Pick<GraphEdge, 'kind' | 'role'>): boolean {
  return kind === 'containment' || (kind === 'computation' && (role === 'input' || role === 'output'));
}

/** Who did something, and what is known about one thing. The end that it is about, by kind or role. */
const subjectEnds: Readonly<Record<string, 'from' | 'to'>> = {
  metadata: 'from',
  storage: 'from',
  registration: 'to',
  operation: 'to',
  executedOn: 'to',
};

/** Whether an edge is known about one thing only, and the start is not what it leads to. */
export function isFact(graph: Graph, edge: GraphEdge): boolean {
  const end = subjectEnds[edge.kind] ?? subjectEnds[edge.role] ?? vouchedEnd(graph, edge);
  if (end === undefined) return false;
  // A document may describe itself.
  if (edge.from === edge.to) return true;
  if (otherEnd(edge, edge[end]) === graph.start) return false;
  return edge.statement !== graph.start || graph.edgesAt(graph.start).some(isFlow);
}

/** A credential about a statement is the mark of the statement, and its own id says nothing more. */
function vouchedEnd(graph: Graph, { kind, role, from, to }: GraphEdge): 'from' | undefined {
  if (kind !== 'credential') return undefined;
  const isMark = role === 'credentialSubject' && graph.nodes.get(from)?.kind === 'statement';
  return isMark || (role === 'credential' && graph.edgesAt(to).length === 1) ? 'from' : undefined;
}

/** The initial view: all edges of the start, and the inputs and outputs of computations around it, the nearest first. */
export function firstView(graph: Graph, { facts, trust }: Pick<View, 'facts' | 'trust'>): View {
  let view: View = {
    facts,
    whole: true,
    trust,
    flowing: new Set(),
    opened: new Set([graph.start]),
    asked: new Set([graph.start]),
    revealed: new Set(),
    taken: new Map(),
  };
  if (facts || drawable(graph, view).ends.size < drawnWhole) return view;
  view = { ...view, whole: false };
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

/** The drawn part of a graph. Long rows of nodes with the same relations become a stack. */
export function shown(graph: Graph, view: View): Picture {
  const { whole, trust, flowing, opened, asked, revealed, taken } = view;
  const isOpen = (id: string) => whole || opened.has(id);
  const isDrawn = (edge: GraphEdge) =>
    revealed.has(edge.key) ||
    ((trust === null || trustMark(edge.trust) === trust) &&
      (isOpen(edge.from) ||
        isOpen(edge.to) ||
        (isFlow(edge) && (flowing.has(edge.from) || flowing.has(edge.to)))));
  const { edges, ends } = drawable(graph, view);
  const drawn = edges.filter(isDrawn);
  const near = new Map<string, GraphEdge[]>();
  for (const edge of drawn) addAtEnds(near, edge);
  if (!near.has(graph.start)) near.set(graph.start, []);
  const stacks = stacked(
    near,
    taken,
    (id, edges) => id === graph.start || opened.has(id) || edges.some(({ key }) => revealed.has(key)),
  );
  const nodes = new Map<string, ShownNode>();
  for (const [id, edges] of near) {
    const stack = stacks.get(id);
    const missing = asked.has(id) ? 0 : (graph.nodes.get(id)?.hidden ?? 0);
    const more = (ends.get(id)?.length ?? 0) - edges.length + missing;
    if (stack) nodes.set(stack.id, { id: stack.id, more: stack.members.length, isOpen: false, stack });
    else nodes.set(id, { id, more, isOpen: !whole && opened.has(id) });
  }
  return { nodes: [...nodes.values()], edges: lines(drawn, (id) => stacks.get(id)?.id ?? id) };
}

/** The edges that can be drawn, also by their ends. */
function drawable(graph: Graph, { facts, revealed }: Pick<View, 'facts' | 'revealed'>) {
  const edges = [...graph.edges.values()].filter(
    (edge) => facts || revealed.has(edge.key) || !isFact(graph, edge),
  );
  const ends = new Map<string, GraphEdge[]>();
  for (const edge of edges) addAtEnds(ends, edge);
  return { edges, ends };
}

/** @param place the node that represents another one. */
function lines(edges: readonly GraphEdge[], place: (id: string) => string): ShownEdge[] {
  const found = new Map<string, ShownEdge & { readonly edges: GraphEdge[] }>();
  for (const edge of edges) {
    const [from, to] = [place(edge.from), place(edge.to)];
    const line = found.get(`${from} > ${to}`) ?? { from, to, edges: [] };
    line.edges.push(edge);
    found.set(`${from} > ${to}`, line);
  }
  return [...found.values()];
}
