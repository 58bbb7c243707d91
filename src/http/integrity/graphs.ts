import { z } from '@hono/zod-openapi';
import { known, onNamedProject } from '../../domain/access/access.ts';
import type { Visibility } from '../../domain/access/visibility.ts';
import { scopeFor } from '../../domain/integrity/access/statement-scope.ts';
import { registerGraph } from '../../domain/integrity/graphs/graphs.ts';
import type { Graph, GraphStore } from '../../domain/integrity/ports.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import type { App } from '../../platform/http/app.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../json-request.ts';
import { nextCursor, nextJson, pageRequest, paging } from '../list-pages.ts';
import { operation } from './operation.ts';
import { uuidField } from './schemas.ts';

const tag = 'Graphs';
const nameLength = 500;

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

const graphList = z
  .object({
    graphs: z.array(
      graph.extend({ statements: z.int().describe('Number of statements directly in the graph') }),
    ),
    next_cursor: nextCursor,
  })
  .openapi('GraphList');

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
    handle: async ({ context, principal, begin }) => {
      const body = await parsedJsonBody(context, newGraph, limits);
      note(context, { target: body.graph_id });
      const { graph_id: graphId, name, parent_id: parentId = null, project_id: projectId = null } = body;
      const registered = await registerGraph(
        graphs,
        principal,
        { graphId, name, parentId, projectId },
        begin,
      );
      return context.json(graphJson(registered), 201);
    },
  });

  operation(app, 'GET /graph/v1', {
    access: known,
    tag,
    summary: 'List root graphs',
    query: paging,
    answers: { 200: jsonAnswer('A page of graphs', graphList) },
    handle: async ({ context, principal, query }) =>
      context.json(await page(graphs, await principal.grants.visible(), null, query)),
  });

  operation(app, 'GET /graph/v1/{uuid}', {
    access: known,
    tag,
    summary: 'List the child graphs of a graph',
    params: z.object({ uuid: uuidField('The graph id') }),
    query: paging,
    answers: {
      200: jsonAnswer('A page of graphs', graphList),
      404: errorAnswer('The graph does not exist'),
    },
    handle: async ({ context, principal, params, query }) => {
      const { visibility } = await scopeFor(graphs, principal, params.uuid);
      return context.json(await page(graphs, visibility, params.uuid, query));
    },
  });
}

async function page(
  graphs: GraphStore,
  visibility: Visibility,
  parentId: string | null,
  query: z.output<typeof paging>,
) {
  const found = await graphs.children(parentId, pageRequest(query), visibility);
  return {
    graphs: found.graphs.map((one) => ({ ...graphJson(one), statements: one.statements })),
    ...nextJson(found),
  };
}

function graphJson({ graphId, name, parentId, projectId }: Graph) {
  return { graph_id: graphId, name, parent_id: parentId, project_id: projectId };
}
