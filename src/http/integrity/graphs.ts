import {
  counting,
  graph,
  graphList,
  graphParams,
  graphQuery,
  graphWithChildren,
  mostCounted,
  newGraph,
} from '../../contract/integrity/graphs.ts';
import { known, onNamedProject } from '../../domain/access/access.ts';
import type { Visibility } from '../../domain/access/visibility.ts';
import { graphForViewing } from '../../domain/integrity/access/statement-scope.ts';
import { registerGraph } from '../../domain/integrity/graphs/graphs.ts';
import type { Graph, GraphPage, GraphStore } from '../../domain/integrity/ports.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import type { App } from '../../platform/http/app.ts';
import { nextJson, pageRequest } from '../answering.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../parsed-request.ts';
import { operation } from './operation.ts';

const tag = 'Graphs';

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
      const wanted = { graphId, name, parentId, projectId };
      return answer(201, graphJson(await registerGraph(graphs, principal, wanted, begin)));
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
        graphs: await listed(graphs, found.graphs, { counts }),
        ...(isAsked && { in_no_graph: countJson(await countInNoGraph(graphs, visibility)) }),
        ...nextJson(found),
      });
    },
  });

  operation(app, 'GET /graph/v1/{uuid}', {
    access: known,
    tag,
    summary: 'Show a graph, and list its child graphs',
    params: graphParams,
    query: counting,
    answers: {
      200: jsonAnswer('The graph, and a page of its children', graphWithChildren),
      404: errorAnswer('The graph does not exist'),
    },
    handle: async ({ answer, principal, params: { uuid }, query }) => {
      const { graph: itself, visibility } = await graphForViewing(graphs, principal, uuid);
      const found = await graphs.children(uuid, pageRequest(query), visibility);
      const [shown = graphJson(itself), ...children] = await listed(graphs, [itself, ...found.graphs], query);
      return answer(200, { graph: shown, graphs: children, ...nextJson(found) });
    },
  });
}

async function listed(
  graphs: GraphStore,
  found: readonly Graph[],
  { counts: isCounted }: { readonly counts: boolean },
) {
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
