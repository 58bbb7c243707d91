import type { Principal, Visibility } from '../access.ts';
import { ServiceError } from '../errors.ts';
import type { GraphStore } from './ports.ts';

const childrenAtOnce = 1_000;

/**
 * The graphs that a caller wants to read, and may: each of them has to be there.
 * @throws ServiceError `forbidden`; `not_found` where an unknown graph may be told from a forbidden one.
 */
export async function graphsForReading(
  graphs: Pick<GraphStore, 'get' | 'children'>,
  principal: Principal,
  { graphIds, withDescendants }: { graphIds: readonly string[]; withDescendants: boolean },
): Promise<string[]> {
  for (const graphId of graphIds) await demandReadable(graphs, principal, graphId);
  const found = new Set(graphIds);
  if (withDescendants) await addDescendants(graphs, found, await principal.grants.visible());
  return [...found];
}

async function demandReadable(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  graphId: string,
): Promise<void> {
  const graph = await graphs.get(graphId);
  if (graph && (await principal.grants.on(graph.projectId, 'view_project_data'))) return;
  if (graph || !principal.mayProbe) {
    const message = `You may not read the graph ${graphId}: that needs view_project_data on its project.`;
    throw new ServiceError('forbidden', message);
  }
  throw new ServiceError('not_found', `There is no graph ${graphId}.`);
}

/** Each graph once, so that it ends whatever the parents say. */
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
