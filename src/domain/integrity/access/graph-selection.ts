import type { Principal } from '../../access/access.ts';
import type { Visibility } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { Graph, GraphStore } from '../ports.ts';

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

async function readableGraph(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  graphId: string,
): Promise<Graph> {
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
