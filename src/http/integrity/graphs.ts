import { z } from '@hono/zod-openapi';
import { uuidField } from '../../contract/values.ts';
import { known, onNamedProject } from '../../domain/access/access.ts';
import type { Visibility } from '../../domain/access/visibility.ts';
import { graphForViewing } from '../../domain/integrity/access/statement-scope.ts';
import { registerGraph } from '../../domain/integrity/graphs/graphs.ts';
import type { Graph, GraphPage, GraphStore } from '../../domain/integrity/ports.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import type { App } from '../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../json-request.ts';
import { nextCursor, nextJson, pageRequest, paging } from '../list-pages.ts';
import { booleanParameter } from '../query-parameters.ts';
import { operation } from './operation.ts';

const tag = 'Graphs';
const nameLength = 500;
const mostCounted = 10_000;

const newGraph = z
  .strictObject({
    graph_id: uuidField('graph_id'),
    name: z.string().min(1).max(nameLength),
    parent_id: uuidField('parent_id').nullish(),
    project_id: uuidField('project_id')
      .nullish()
      .describe('Project of a root graph. Default: the graph id. A child belongs to the project of its root'),
  })
  .openapi('NewGraph');

const graph = z
  .object({
    graph_id: z.uuid(),
    name: z.string(),
    parent_id: z.uuid().nullable(),
    project_id: z.uuid(),
  })
  .openapi('Graph');

const statementCount = {
  statements: z
    .int()
    .optional()
    .describe(
      `The number of statements directly in the graph, at most ${mostCounted}; missing with counts=false`,
    ),
  statements_is_more: z.literal(true).optional().describe('There are more statements than were counted'),
};

const countedGraph = graph.extend(statementCount).openapi('CountedGraph');

const graphList = z
  .object({
    graphs: z.array(countedGraph),
    in_no_graph: z
      .object(statementCount)
      .optional()
      .describe('With in_no_graph=true: the statements that the caller may see and that are in no graph'),
    next_cursor: nextCursor,
  })
  .openapi('GraphList');

const graphWithChildren = z
  .object({ graph: countedGraph, graphs: z.array(countedGraph), next_cursor: nextCursor })
  .openapi('GraphWithChildren');

const counting = paging.extend({
  counts: booleanParameter.default(true).describe('Count the statements directly in each graph'),
});

const graphQuery = counting.extend({
  name: z
    .string()
    .min(1)
    .max(nameLength)
    .optional()
    .describe('Only graphs with exactly this name, on every level; at most `limit`, without next_cursor'),
  in_no_graph: booleanParameter.optional().describe('Count the statements that are in no graph'),
});

export interface GraphRoutes {
  readonly graphs: GraphStore;
  readonly limits: JsonLimits;
}

export function graphRoutes(app: App, { graphs, limits }: GraphRoutes): void {
  operation(app, 'PUT /graph/v1', {
    access: onNamedProject('create_projects', 'create_declarations'),
    tag,
    summary: 'Register a graph',
    body: { 'application/json': { schema: newGraph } },
    answers: {
      201: jsonAnswer('Registered', graph),
      404: errorAnswer('The parent graph does not exist'),
      409: errorAnswer('The graph already exists'),
    },
    beginsLate: true,
    handle: async ({ context, answer, principal, begin }) => {
      const body = await parsedJsonBody(context, newGraph, limits);
      note(context, { target: body.graph_id });
      const { graph_id: graphId, name, parent_id: parentId = null, project_id: projectId = null } = body;
      const registered = await registerGraph(
        graphs,
        principal,
        { graphId, name, parentId, projectId },
        begin,
      );
      return answer(201, graphJson(registered));
    },
  });

  operation(app, 'GET /graph/v1', {
    access: known,
    tag,
    summary: 'List root graphs, or the graphs with a name',
    query: graphQuery,
    answers: { 200: jsonAnswer('A page of graphs', graphList) },
    handle: async ({ answer, principal, query }) => {
      const visibility = await principal.grants.visible();
      const { name, limit, counts, in_no_graph: isAsked } = query;
      const found: GraphPage =
        name === undefined
          ? await graphs.children(null, pageRequest(query), visibility)
          : { graphs: await graphs.named(name, limit, visibility) };
      return answer(200, {
        graphs: await listed(graphs, found.graphs, counts),
        ...(isAsked && { in_no_graph: countJson(await countInNoGraph(graphs, visibility)) }),
        ...nextJson(found),
      });
    },
  });

  operation(app, 'GET /graph/v1/{uuid}', {
    access: known,
    tag,
    summary: 'Show a graph, and list its child graphs',
    params: z.object({ uuid: uuidField('The graph id') }),
    query: counting,
    answers: {
      200: jsonAnswer('The graph, and a page of its children', graphWithChildren),
      404: errorAnswer('The graph does not exist'),
    },
    handle: async ({ answer, principal, params: { uuid }, query }) => {
      const { graph: itself, visibility } = await graphForViewing(graphs, principal, uuid);
      const found = await graphs.children(uuid, pageRequest(query), visibility);
      const [shown = graphJson(itself), ...children] = await listed(
        graphs,
        [itself, ...found.graphs],
        query.counts,
      );
      return answer(200, { graph: shown, graphs: children, ...nextJson(found) });
    },
  });
}

async function listed(graphs: GraphStore, found: readonly Graph[], isCounted: boolean) {
  if (!isCounted) return found.map(graphJson);
  const ids = found.map(({ graphId }) => graphId);
  const counts = await graphs.statementCounts(ids, mostCounted);
  return found.map((one, at) => ({ ...graphJson(one), ...countJson(counts[at] ?? 0) }));
}

/** Only callers who see everything see statements in no graph. */
async function countInNoGraph(graphs: GraphStore, { projects }: Visibility): Promise<number> {
  if (projects !== 'all') return 0;
  const [count = 0] = await graphs.statementCounts([null], mostCounted);
  return count;
}

function countJson(count: number) {
  if (count <= mostCounted) return { statements: count };
  return { statements: mostCounted, statements_is_more: true as const };
}

function graphJson({ graphId, name, parentId, projectId }: Graph) {
  return { graph_id: graphId, name, parent_id: parentId, project_id: projectId };
}
