import { trustAnswer } from '../../../contract/sentences.ts';
import type { LineageEdge } from '../../../domain/integrity/lineage/edges.ts';
import type { Lineage, LineageNode } from '../../../domain/integrity/lineage/graph.ts';
import type { Trust } from '../../../domain/integrity/signatures/trust.ts';

/** A lineage as JSON, node by node and edge by edge. */
export function* lineageJson(
  { start, nodes, edges, isTruncated, retracted }: Lineage,
  trusts: ReadonlyMap<string, Trust>,
): Generator<string> {
  yield `{"id":${JSON.stringify(start)},"nodes":`;
  yield* jsonArray(nodes.values().map((node) => nodeJson(node, trusts)));
  yield ',"edges":';
  yield* jsonArray(edges.values().map((edge) => edgeJson(edge, trusts)));
  yield `,"truncated":${isTruncated}${retracted ? `,"retracted":${retracted}` : ''}}`;
}

function nodeJson({ cut, ...node }: LineageNode, trusts: ReadonlyMap<string, Trust>): string {
  const trust = trusts.get(node.id);
  return JSON.stringify({
    ...node,
    ...(trust && { trust: trustAnswer(trust) }),
    ...(cut > 0 && { truncated: true, hidden_edges: cut }),
  });
}

function edgeJson(
  { registeredBy, time, isTrusted, ...edge }: LineageEdge,
  trusts: ReadonlyMap<string, Trust>,
): string {
  return JSON.stringify({
    ...edge,
    trust: trustAnswer(trusts.get(edge.statement)),
    ...(registeredBy !== undefined && { registered_by: registeredBy }),
    ...(time !== null && { timestamp: new Date(time).toISOString().replace('.000Z', 'Z') }),
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
