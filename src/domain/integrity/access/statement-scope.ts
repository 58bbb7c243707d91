import type { Principal } from '../../access/access.ts';
import { isVisible, type Visibility } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import { cidIn } from '../identifiers/cid.ts';
import type { BlobStore, Graph, GraphStore, StatementScope } from '../ports.ts';
import type { ContentReach } from './content-reach.ts';

/**
 * The scope of a query: everything that the caller may see, or one graph.
 * @throws ServiceError `not_found` for a graph that does not exist or is not visible.
 */
export async function scopeFor(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  graphId: string | null,
): Promise<StatementScope> {
  const { issuer, subject, grants } = principal;
  const viewer = { issuer, subject };
  if (graphId === null) return { graphId, visibility: await grants.visible(), viewer };
  const { visibility } = await graphForViewing(graphs, principal, graphId);
  return { graphId, visibility, viewer };
}

/** @throws ServiceError `not_found` for a graph that does not exist or is not visible. */
export async function graphForViewing(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  graphId: string,
): Promise<{ readonly graph: Graph; readonly visibility: Visibility }> {
  const graph = await graphs.get(graphId);
  // An unknown graph is answered like a hidden one, also in time.
  const visibility = await principal.grants.visible(graph?.projectId ?? graphId);
  if (!(graph && isVisible(graph.projectId, visibility)))
    throw new ServiceError('not_found', `There is no graph ${graphId}.`);
  return { graph, visibility };
}

/** The size of the blob with this identifier, if the caller may read it. */
export async function blobSizeFor(
  { blobs, reach }: { readonly blobs: Pick<BlobStore, 'size'>; readonly reach: ContentReach },
  identifier: string,
  { visibility }: StatementScope,
): Promise<number | undefined> {
  const cid = cidIn(identifier);
  const mayRead = visibility.projects === 'all' || visibility.projects.size > 0;
  return cid && mayRead && (await reach.blob(cid, visibility)) ? await blobs.size(cid) : undefined;
}
