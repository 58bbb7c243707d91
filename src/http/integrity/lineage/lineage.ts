import { lineage, lineageParams, lineageQuery } from '../../../contract/integrity/lineage.ts';
import { trustAnswer } from '../../../contract/sentences.ts';
import { plainText } from '../../../contract/values.ts';
import { callerKey, known } from '../../../domain/access/access.ts';
import { scopeFor } from '../../../domain/integrity/access/statement-scope.ts';
import { directions, type LineageEdge } from '../../../domain/integrity/lineage/edges.ts';
import type { Lineage, LineageNode } from '../../../domain/integrity/lineage/graph.ts';
import {
  type LineagePorts,
  namedLineage,
  traceLineage,
  trustInLineage,
  withFailures,
} from '../../../domain/integrity/lineage/lineage.ts';
import type { NameIndex } from '../../../domain/integrity/names/name-index.ts';
import type { GraphStore, WorkLimit } from '../../../domain/integrity/ports.ts';
import type { DescribingPorts } from '../../../domain/integrity/runs/described.ts';
import type { RetractedReader, Trust } from '../../../domain/integrity/signatures/trust.ts';
import type { App } from '../../../platform/http/app.ts';
import { slicedText, wholeAnswer } from '../../answering.ts';
import { accepts, errorAnswer, jsonAnswer, notAcceptable } from '../../answers.ts';
import { operation } from '../operation.ts';
import { lineageDot, lineageMermaid } from './lineage-drawings.ts';
import { type ProvenanceRoutes, provenanceRoutes } from './provenance.ts';

const json = 'application/json';
const dot = 'text/vnd.graphviz';
const mermaid = 'text/vnd.mermaid';

const texts = { [json]: lineageJson, [dot]: lineageDot, [mermaid]: lineageMermaid };

type LineageRoutes = LineagePorts &
  DescribingPorts & {
    /** Limits how many lineages are in memory, from the first read until the text is made. */
    readonly lineages: WorkLimit;
    readonly names: Pick<NameIndex, 'of'>;
    readonly graphs: Pick<GraphStore, 'get'>;
    readonly retracted: RetractedReader;
  };

export function lineageRoutes(app: App, ports: LineageRoutes & ProvenanceRoutes): void {
  provenanceRoutes(app, ports);

  operation(app, 'GET /lineage/v1/{id}', {
    access: known,
    tag: 'Search',
    summary: 'Trace what an artefact was made from and what was made from it',
    description:
      'Follows computations, breadth first. Answers JSON, DOT (Accept: text/vnd.graphviz) or a Mermaid flowchart (Accept: text/vnd.mermaid). Actors, metadata, storage, governance, associations and credentials are shown at each node but not followed. They take at most half of the nodes.',
    params: lineageParams,
    query: lineageQuery,
    answers: {
      200: {
        description: 'The lineage that is visible to the caller',
        content: {
          ...jsonAnswer('', lineage).content,
          [dot]: { schema: plainText },
          [mermaid]: { schema: plainText },
        },
      },
      404: errorAnswer('Nothing is known about it, or the graph does not exist'),
      406: notAcceptable,
    },
    handle: async ({ context, principal, params, query }) => {
      const format = accepts(context, [json, dot, mermaid]);
      const scope = await scopeFor(ports.graphs, principal, query.graph_id ?? null);
      const { direction, depth, limit, kinds = null } = query;
      const question = { start: params.id, flows: directions[direction], depth, limit, kinds };
      const trace = async () => {
        const leaveOut = query.include_retracted ? undefined : ports.retracted;
        const traced = await traceLineage(ports, question, scope, leaveOut);
        const named = await namedLineage(ports.names, traced, scope);
        const lineage = await withFailures(ports, named, scope);
        return await slicedText(texts[format](lineage, await trustInLineage(ports.trust, lineage)));
      };
      const bytes = await ports.lineages.run(trace, callerKey(principal));
      return wholeAnswer(context, bytes, {
        'content-type': format === json ? json : `${format}; charset=utf-8`,
        'x-content-type-options': 'nosniff',
        vary: 'Accept',
      });
    },
  });
}

/** A lineage as JSON, node by node and edge by edge. */
function* lineageJson(
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
