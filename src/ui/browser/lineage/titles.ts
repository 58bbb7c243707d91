import { shortId } from '../words.ts';
import type { Graph, GraphEdge } from './graph.ts';
import { kindWords, shownKinds } from './kinds.ts';

/** The name of a node, or else what is known about it. Never empty. */
export function titleOf(graph: Graph, id: string): string {
  const node = graph.nodes.get(id);
  if (!node) return shortId(id);
  if (node.name !== undefined) return node.name;
  const near = graph.edgesAt(id);
  if (node.kind === 'statement') {
    const program = near.find(({ role, to }) => role === 'computation' && to === id)?.from ?? '';
    return graph.nodes.get(program)?.name ?? kindWords(node);
  }
  return near.map((edge) => documentTitle(edge, id)).find(Boolean) ?? shortId(id);
}

/** The newest metadata document of a node that the graph has. */
export function metadataOf(graph: Graph, id: string): string | undefined {
  const edges = graph.edgesAt(id).filter(({ role, from }) => role === 'metadata' && from === id);
  return edges.toSorted((a, b) => (b.timestamp ?? '').localeCompare(a.timestamp ?? ''))[0]?.to;
}

function documentTitle(edge: GraphEdge, id: string): string | undefined {
  const document = Object.hasOwn(shownKinds.roles, edge.role)
    ? shownKinds.roles[edge.role]?.document
    : undefined;
  return document && edge[document.end] === id ? document.title : undefined;
}
