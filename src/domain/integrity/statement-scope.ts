import type { Principal } from '../access.ts';
import { ServiceError } from '../errors.ts';
import { cidIn } from './cid.ts';
import type { Graph } from './graphs.ts';
import type { BlobStore, GraphStore, StatementScope } from './ports.ts';

/**
 * What a caller's question is about: all that the caller may see, or one graph of it.
 * @throws ServiceError `not_found` for a graph that does not exist or is somebody else's.
 */
export async function scopeFor(
  graphs: Pick<GraphStore, 'get'>,
  principal: Principal,
  graphId: string | null,
): Promise<StatementScope> {
  const visibility = await principal.grants.visible();
  if (graphId !== null && !isVisible(await graphs.get(graphId), visibility))
    throw new ServiceError('not_found', `There is no graph ${graphId}.`);
  return { graphId, visibility };
}

function isVisible(graph: Graph | undefined, { projects }: StatementScope['visibility']): boolean {
  return graph !== undefined && (projects === 'all' || projects.has(graph.projectId));
}

/** Bytes of the blob that an identifier names, for readers who may view anything: blobs belong to no project. */
export async function blobSizeFor(
  blobs: Pick<BlobStore, 'size'>,
  identifier: string,
  { visibility: { projects } }: StatementScope,
): Promise<number | undefined> {
  const cid = cidIn(identifier);
  const mayRead = projects === 'all' || projects.size > 0;
  return cid && mayRead ? await blobs.size(cid) : undefined;
}
