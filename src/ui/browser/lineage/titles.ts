import { briefName, shortId } from '../../../contract/words/text.ts';
import { kindWords, shownKinds } from '../kinds.ts';
import type { Graph, GraphEdge, Lineage } from './graph.ts';

/** The name of a node, or else what is known about it. Never empty. */
export function titleOf(graph: Graph, id: string): string {
  const node = graph.nodes.get(id);
  const name =
    node?.name ??
    graph.names.get(id)?.replace(/^(?:an?|the) (?=(?:[a-z ]+ )?credential$|declaration |review: )/, '');
  if (name !== undefined) return briefName(name);
  if (!node) return shortId(id);
  const near = graph.edgesAt(id);
  if (node.kind === 'statement') {
    const program = near.find(({ role, to }) => role === 'computation' && to === id)?.from ?? '';
    return graph.nodes.get(program)?.name ?? kindWords(node);
  }
  return near.map((edge) => documentTitle(edge, id)).find(Boolean) ?? shortId(id);
}

/** Registrants that are not nodes, and documents of governance: an answer has no names for them. */
export function namelessIn({ edges, nodes }: Lineage): string[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const people = edges.flatMap(({ registered_by: by }) => by ?? []).filter((id) => !known.has(id));
  const documents = edges
    .filter(({ kind, to }) => kind === 'governance' && known.get(to)?.name === undefined)
    .map(({ to }) => to);
  return [...new Set([...people, ...documents])];
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

/** When a statement was made; when an artefact was made or else registered. */
export function timeOf(graph: Graph, id: string): string | undefined {
  const near = graph.edgesAt(id);
  const edge =
    near.find(({ statement }) => statement === id) ??
    near.find(({ role, to }) => role === 'output' && to === id) ??
    near.find(({ kind, to }) => kind === 'registration' && to === id);
  return edge?.timestamp;
}
