import { z } from '@hono/zod-openapi';
import { graphParameter, identifierParameter, unverified } from '../../../contract/values.ts';
import { callerKey, known } from '../../../domain/access/access.ts';
import { scopeFor } from '../../../domain/integrity/access/statement-scope.ts';
import {
  edgeMeanings,
  isStatementKind,
  type StatementKind,
  statementKindNames,
} from '../../../domain/integrity/kinds/registry.ts';
import { type Direction, directions } from '../../../domain/integrity/lineage/edges.ts';
import { type LineagePorts, lineageBounds, traceLineage } from '../../../domain/integrity/lineage/lineage.ts';
import { namedLineage } from '../../../domain/integrity/lineage/names.ts';
import { trustInLineage } from '../../../domain/integrity/lineage/trust.ts';
import type { NameIndex } from '../../../domain/integrity/names/name-index.ts';
import type { GraphStore, WorkLimit } from '../../../domain/integrity/ports.ts';
import type { RetractedReader, TrustReader } from '../../../domain/integrity/signatures/trust.ts';
import type { App } from '../../../platform/http/app.ts';
import { accepts } from '../../accepts.ts';
import { errorAnswer, jsonAnswer, notAcceptable } from '../../answers.ts';
import { wholeNumber } from '../../query-parameters.ts';
import { slicedText } from '../../sliced-text.ts';
import { wholeAnswer } from '../../whole-answer.ts';
import { operation } from '../operation.ts';
import { trustSchema } from '../statements/trust.ts';
import { lineageDot, lineageMermaid } from './lineage-drawings.ts';
import { lineageJson } from './lineage-json.ts';

const json = 'application/json';
const dot = 'text/vnd.graphviz';
const mermaid = 'text/vnd.mermaid';

const lineageQuery = z.object({
  direction: z
    .enum(Object.keys(directions) as [Direction, ...Direction[]])
    .default('both')
    .describe('upstream: what it was made from; downstream: what was made from it'),
  depth: wholeNumber(lineageBounds.depth).describe(
    'Maximum number of computations between the start and a node',
  ),
  limit: wholeNumber(lineageBounds.limit).describe('Maximum number of nodes'),
  kinds: z
    .string()
    .max(1_000)
    .transform((text) => text.split(','))
    .pipe(z.array(z.custom<StatementKind>(isStatementKind, `must be among ${statementKindNames.join(', ')}`)))
    .optional()
    .openapi({
      type: 'string',
      description: 'Only statements of these kinds, separated by commas',
      example: 'ComputationRegistration,CredentialRegistration',
    }),
  include_retracted: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether computations that were retracted are shown and followed'),
  graph_id: graphParameter,
});

const lineageAnswer = z
  .object({
    id: z
      .string()
      .describe('The start. For a statement this is its id, even if the request used its jcs_cid'),
    nodes: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(['artefact', 'actor', 'statement']),
        type: z.string().optional().describe('Kind of the statement, if the node is one'),
        name: z.string().optional().describe('The name that its newest metadata gives it'),
        depth: z.int().describe('Steps from the start'),
        trust: trustSchema.optional().describe('For nodes that are statements'),
        truncated: z.literal(true).optional().describe('Request the lineage of this node to see more'),
        hidden_edges: z.int().optional().describe('Minimum number of edges left out at this node'),
      }),
    ),
    edges: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        kind: z.enum(Object.keys(edgeMeanings)),
        role: z.string().describe('The field of the statement that makes the edge'),
        statement: z.string(),
        type: z.string().optional().describe('The type of an association, as in its statement'),
        registered_by: z.string().optional(),
        timestamp: z.iso.datetime().optional().describe('Of the statement, in UTC'),
        trust: trustSchema,
        unverified,
      }),
    ),
    truncated: z
      .boolean()
      .describe('Whether anything is left out because of depth, limit or the bound on reading'),
    retracted: z
      .int()
      .optional()
      .describe('How many computations are left out because they were retracted, if any'),
  })
  .openapi('Lineage');

const texts = { [json]: lineageJson, [dot]: lineageDot, [mermaid]: lineageMermaid };

export interface LineageRoutes extends LineagePorts {
  /** Limits how many lineages are in memory, from the first read until the text is made. */
  readonly lineages: WorkLimit;
  readonly names: Pick<NameIndex, 'of'>;
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly trust: TrustReader;
  readonly retracted: RetractedReader;
}

export function lineageRoutes(app: App, ports: LineageRoutes): void {
  operation(app, 'GET /lineage/v1/{id}', {
    access: known,
    tag: 'Search',
    summary: 'Trace what an artefact was made from and what was made from it',
    description:
      'Follows computations, breadth first. Answers JSON, DOT (Accept: text/vnd.graphviz) or a Mermaid flowchart (Accept: text/vnd.mermaid). Actors, metadata, storage, governance, associations and credentials are shown at each node but not followed. They take at most half of the nodes.',
    params: z.object({ id: identifierParameter }),
    query: lineageQuery,
    answers: {
      200: {
        description: 'The lineage that is visible to the caller',
        content: {
          ...jsonAnswer('', lineageAnswer).content,
          [dot]: { schema: z.string() },
          [mermaid]: { schema: z.string() },
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
        const leaveOut = query.include_retracted === 'true' ? undefined : ports.retracted;
        const traced = await traceLineage(ports, question, scope, leaveOut);
        const lineage = await namedLineage(ports.names, traced, scope);
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
