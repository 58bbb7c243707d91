import { authorizeNewProject, authorizeProject, everythingVisible, type Principal } from '../access.ts';
import { ServiceError } from '../errors.ts';
import type { GraphStore } from './ports.ts';

/** A group of statements. Graphs form trees; a tree belongs to the project of its root. */
export interface Graph {
  readonly graphId: string;
  readonly name: string;
  /** null for a root graph. */
  readonly parentId: string | null;
  readonly projectId: string;
}

export interface NewGraph {
  readonly graphId: string;
  readonly name: string;
  readonly parentId: string | null;
  /** For a root graph; its own id unless given. Not accepted beside a parent. */
  readonly projectId: string | null;
}

type Graphs = Pick<GraphStore, 'add' | 'get'>;

/** @throws ServiceError `not_found` (parent), `conflict` (registered already), `forbidden`, `invalid_request`. */
export async function registerGraph(graphs: Graphs, principal: Principal, request: NewGraph): Promise<Graph> {
  const graph = await authorizedGraph(graphs, principal, request);
  const known = await graphs.get(graph.graphId);
  if (known) await authorizeKnown(principal, known);
  if (known || (await graphs.add(graph)) === 'exists') {
    throw new ServiceError('conflict', `The graph ${graph.graphId} is registered already.`);
  }
  return graph;
}

/** The graph that a request asks for, if the caller may register it. */
async function authorizedGraph(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  request: NewGraph,
): Promise<Graph> {
  const projectId =
    request.parentId === null
      ? await rootProject(principal, request)
      : await childProject(graphs, principal, request);
  return { ...request, projectId };
}

/**
 * The graph into which a manifest is imported: a new one that the caller may register, or one that is there, to
 * which nothing is added (`importManifest` sees to that).
 * @throws ServiceError `not_found` (parent), `forbidden`; `conflict` when the graph is there under another parent.
 */
export async function graphForImport(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  request: NewGraph,
): Promise<Graph> {
  const known = await graphs.get(request.graphId);
  if (!known) return await authorizedGraph(graphs, principal, request);
  await authorizeKnown(principal, known);
  if (request.parentId === null || request.parentId === known.parentId) return known;
  throw new ServiceError('conflict', `The graph ${known.graphId} is registered under another parent.`);
}

async function rootProject(principal: Principal, request: NewGraph): Promise<string> {
  const projectId = request.projectId ?? request.graphId;
  if (request.projectId !== null) await authorizeProject(principal, 'create_declarations', projectId);
  else await authorizeNewProject(principal);
  return projectId;
}

async function childProject(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  request: NewGraph,
): Promise<string> {
  if (request.projectId !== null) {
    throw new ServiceError(
      'invalid_request',
      'project_id is for root graphs; a child belongs to the project of its root.',
    );
  }
  return (await graphForWriting(graphs, principal, request.parentId ?? '', 'not_found')).projectId;
}

/** Re-registering needs the permission of a child, so that a conflict tells strangers nothing. */
async function authorizeKnown(principal: Principal, known: Graph): Promise<void> {
  await authorizeProject(principal, 'create_declarations', known.projectId);
}

/**
 * The graph under which something is to be written.
 * @param unknown the code of an unknown graph where it may be told from a forbidden one.
 */
export async function graphForWriting(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  graphId: string,
  unknown: 'not_found' | 'unknown_graph' = 'unknown_graph',
): Promise<Graph> {
  const graph = await graphs.get(graphId);
  if (graph) {
    await authorizeProject(principal, 'create_declarations', graph.projectId);
    return graph;
  }
  if (!principal.mayProbe) throw new ServiceError('forbidden', `You may not write to the graph ${graphId}.`);
  throw new ServiceError(
    unknown,
    `The graph ${graphId} is not registered. Register it with PUT /graph/v1 first.`,
  );
}

/** More are not asked about one by one. */
const mostProjects = 1_000;

/** Ids of the projects that the root graphs belong to. */
export async function knownProjects(graphs: Pick<GraphStore, 'children'>): Promise<string[]> {
  const page = await graphs.children(null, { after: null, limit: mostProjects }, everythingVisible);
  return [...new Set(page.graphs.map(({ projectId }) => projectId))];
}
