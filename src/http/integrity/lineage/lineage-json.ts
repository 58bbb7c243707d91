import type { LineageEdge } from '../../../domain/integrity/lineage/edges.ts';
import type { Lineage, LineageNode } from '../../../domain/integrity/lineage/graph.ts';

/** A lineage as JSON, node by node and edge by edge. */
export function* lineageJson({ start, nodes, edges, isTruncated }: Lineage): Generator<string> {
  yield `{"id":${JSON.stringify(start)},"nodes":`;
  yield* jsonArray(nodes.values().map(nodeJson));
  yield ',"edges":';
  yield* jsonArray(edges.values().map(edgeJson));
  yield `,"truncated":${isTruncated}}`;
}

function nodeJson({ cut, ...node }: LineageNode): string {
  return JSON.stringify({ ...node, ...(cut > 0 && { truncated: true, hidden_edges: cut }) });
}

function edgeJson({ registeredBy, isTrusted, ...edge }: LineageEdge): string {
  return JSON.stringify({
    ...edge,
    ...(registeredBy !== undefined && { registered_by: registeredBy }),
    ...(!isTrusted && { unverified: true }),
  });
}

function* jsonArray(items: Iterable<string>): Generator<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + item;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}
