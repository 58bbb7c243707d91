import { authorizeNewProject, authorizeProject, type Principal } from '../../access/access.ts';
import type { ProjectPage } from '../../access/project-search.ts';
import { everythingVisible, type Visibility } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { Graph, GraphStore } from '../ports.ts';

export interface NewGraph {
  readonly graphId: string;
  readonly name: string;
  readonly parentId: string | null;
  /** For a root graph. Default: its own id. Not allowed together with a parent. */
  readonly projectId: string | null;
}

type Graphs = Pick<GraphStore, 'add' | 'get' | 'children'>;

/**
 * @param begin called after authorization and before any change. @throws ServiceError `not_found` (parent), `conflict`
 * (already registered), `forbidden`, `invalid_request`; errors of `begin`.
 */
export async function registerGraph(
  graphs: Graphs,
  principal: Principal,
  request: NewGraph,
  begin: () => Promise<void> = async () => undefined,
): Promise<Graph> {
  const graph = await knownOrNew(graphs, principal, request);
  await begin();
  if ('known' in graph || (await graphs.add(graph)) === 'exists') {
    throw new ServiceError('conflict', `The graph ${request.graphId} is registered already.`);
  }
  return graph;
}

/**
 * The graph for an import: a new one that the caller may register, or an existing one, to which nothing is added.
 * @throws ServiceError `not_found` (parent), `forbidden`; `conflict` if the graph exists under another parent.
 */
export async function graphForImport(
  graphs: Pick<GraphStore, 'get' | 'children'>,
  principal: Principal,
  request: NewGraph,
): Promise<Graph> {
  const graph = await knownOrNew(graphs, principal, request);
  if (!('known' in graph)) return graph;
  const { known } = graph;
  if (request.parentId === null || request.parentId === known.parentId) return known;
  throw new ServiceError('conflict', `The graph ${known.graphId} is registered under another parent.`);
}

/**
 * The existing graph if the caller may write to it, otherwise the requested graph if the caller may register it.
 * Callers without permission cannot learn whether a graph exists.
 */
async function knownOrNew(
  graphs: Pick<GraphStore, 'get' | 'children'>,
  principal: Principal,
  request: NewGraph,
): Promise<Graph | { readonly known: Graph }> {
  const known = await graphs.get(request.graphId);
  if (known && (await principal.grants.on(known.projectId, 'create_declarations'))) return { known };
  const projectOf = request.parentId === null ? rootProject : childProject;
  const projectId = await projectOf(graphs, principal, request);
  if (known) throwReadOnly(request.graphId);
  return { ...request, projectId };
}

async function rootProject(
  graphs: Pick<GraphStore, 'children'>,
  principal: Principal,
  { projectId, graphId }: NewGraph,
): Promise<string> {
  if (projectId !== null) {
    await authorizeProject(principal, 'create_declarations', projectId);
    return projectId;
  }
  await authorizeNewProject(principal);
  // The project gets the id of the graph, which an existing project of somebody else may have.
  if (await principal.grants.on(graphId, 'create_declarations')) return graphId;
  const page = await graphs.children(null, { after: null, limit: 1 }, { projects: new Set([graphId]) });
  if (page.graphs.length > 0) throwReadOnly(graphId);
  return graphId;
}

async function childProject(graphs: Pick<GraphStore, 'get'>, principal: Principal, request: NewGraph) {
  if (request.projectId !== null) {
    const message = 'Leave out project_id: a child graph belongs to the project of its root.';
    throw new ServiceError('invalid_request', message);
  }
  return (await graphForWriting(graphs, principal, request.parentId ?? '', 'not_found')).projectId;
}

/**
 * The graph to write to.
 * @param unknown the error code for an unknown graph, if the caller may learn that.
 */
export async function graphForWriting(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  graphId: string,
  unknown: 'not_found' | 'unknown_graph' = 'unknown_graph',
): Promise<Graph> {
  const graph = await graphs.get(graphId);
  // An unknown graph is answered like a forbidden one, also in time.
  const isAllowed = await principal.grants.on(graph?.projectId ?? graphId, 'create_declarations');
  if (graph && isAllowed) return graph;
  if (graph || !principal.mayProbe) throwReadOnly(graphId);
  const message = `The graph ${graphId} is not registered. Register it with PUT /graph/v1 first.`;
  throw new ServiceError(unknown, message);
}

function throwReadOnly(graphId: string): never {
  const message = `You may not write to the graph ${graphId}: that needs create_declarations on its project.`;
  throw new ServiceError('forbidden', message);
}

const projectsAtOnce = 100;

/** The projects of the root graphs from a cursor on, in the order of registration. */
export async function* projectPages(
  graphs: Pick<GraphStore, 'children'>,
  start: string | null,
): AsyncGenerator<ProjectPage> {
  for (let after: string | null | undefined = start; after !== undefined; ) {
    const page = await graphs.children(null, { after, limit: projectsAtOnce }, everythingVisible);
    yield { after, ids: [...new Set(page.graphs.map(({ projectId }) => projectId))] };
    after = page.next;
  }
}

const childrenAtOnce = 1_000;

/** Graphs, and the projects whose content may be read with them. */
export interface GraphSelection {
  readonly graphIds: readonly string[];
  readonly visibility: Visibility;
}

/**
 * The graphs that a caller asks for. All of them must exist and be readable. The visibility covers their projects.
 * @throws ServiceError `forbidden`; `not_found` if the caller may learn that a graph does not exist.
 */
export async function graphsForReading(
  graphs: Pick<GraphStore, 'get' | 'children'>,
  principal: Principal,
  { graphIds, withDescendants }: { graphIds: readonly string[]; withDescendants: boolean },
): Promise<GraphSelection> {
  const projects = new Set<string>();
  for (const graphId of graphIds) projects.add((await readableGraph(graphs, principal, graphId)).projectId);
  const found = new Set(graphIds);
  if (withDescendants) await addDescendants(graphs, found, { projects });
  return { graphIds: [...found], visibility: { projects } };
}

async function readableGraph(graphs: Pick<GraphStore, 'get'>, principal: Principal, graphId: string) {
  const graph = await graphs.get(graphId);
  // An unknown graph is answered like a hidden one, also in time.
  const isAllowed = await principal.grants.on(graph?.projectId ?? graphId, 'view_project_data');
  if (graph && isAllowed) return graph;
  if (graph || !principal.mayProbe) {
    const message = `You may not read the graph ${graphId}: that needs view_project_data on its project.`;
    throw new ServiceError('forbidden', message);
  }
  throw new ServiceError('not_found', `There is no graph ${graphId}.`);
}

async function addDescendants(
  graphs: Pick<GraphStore, 'children'>,
  found: Set<string>,
  visibility: Visibility,
): Promise<void> {
  for (const parent of found) {
    let after: string | null = null;
    do {
      const page = await graphs.children(parent, { after, limit: childrenAtOnce }, visibility);
      for (const { graphId } of page.graphs) found.add(graphId);
      after = page.next ?? null;
    } while (after !== null);
  }
}
