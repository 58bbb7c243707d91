import type { Principal } from '../../access/access.ts';
import { isVisible, type Visibility } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import type { SameBytes } from '../blobs/same-bytes.ts';
import { type Cid, cidIn, cidUrn } from '../identifiers/cid.ts';
import type { BlobStore, Graph, GraphStore, StatementScope } from '../ports.ts';
import type { ContentReach, ContentVisibility } from './content-reach.ts';

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

export interface ReachedBlobs {
  readonly blobs: Pick<BlobStore, 'size'>;
  readonly reach: ContentReach;
  readonly sameBytes: SameBytes;
}

/** The size of the blob with this identifier, if the caller may read it. */
export async function blobSizeFor(
  ports: ReachedBlobs,
  identifier: string,
  { visibility }: Pick<StatementScope, 'visibility'>,
): Promise<number | undefined> {
  const cid = cidIn(identifier);
  return cid && (await reachedBlob(ports, cid, visibility))?.size;
}

/** A blob that the caller may read, and the CID under which it is stored: the given one, or one with another hash function. */
export async function reachedBlob(
  { blobs, reach, sameBytes }: ReachedBlobs,
  cid: Cid,
  visibility: ContentVisibility,
): Promise<{ readonly cid: Cid; readonly size: number } | undefined> {
  if (visibility.projects !== 'all' && visibility.projects.size === 0) return undefined;
  const size = (await reach.blob(cid, visibility)) ? await blobs.size(cid) : undefined;
  if (size !== undefined) return { cid, size };
  const id = cidUrn(cid);
  for (const name of (await sameBytes.of([id])).get(id)?.names ?? []) {
    const other = name === id ? undefined : cidIn(name);
    const otherSize = other && (await blobs.size(other));
    if (other && otherSize !== undefined && (await reach.blobByOtherHash(other, visibility)))
      return { cid: other, size: otherSize };
  }
  return undefined;
}
