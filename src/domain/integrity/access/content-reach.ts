import type { Grants } from '../../access/grants.ts';
import { everythingVisible, type Visibility } from '../../access/visibility.ts';
import { type Cid, urnsOfBytes } from '../identifiers/cid.ts';
import type { ReferencePage } from '../ports.ts';
import type { StatementIndex } from '../statements/questions.ts';

export interface ContentVisibility extends Visibility {
  /** What the caller sees without knowing a CID, if that is less. */
  readonly listed?: () => Promise<Visibility>;
}

/** What a caller can read by knowing a CID. */
export interface ContentReach {
  /** The statements that can be read by CID. @throws ServiceError `unavailable`. */
  visibility(grants: Grants): Promise<ContentVisibility>;
  /** Whether a caller who sees these projects can read a blob by CID. */
  blob(cid: Cid, visibility: Visibility): Promise<boolean>;
  /**
   * The same for a caller who knows another hash of the blob. Hashes of files are often public, so such a hash opens nothing
   * that the caller's statements do not refer to by the hash under which it is stored.
   */
  blobByOtherHash(stored: Cid, visibility: ContentVisibility): Promise<boolean>;
}

type References = Pick<StatementIndex, 'references'>;

/** Everything by its CID, because only those who were told a CID know it. */
export const reachEverything: ContentReach = {
  visibility: async () => everythingVisible,
  blob: async () => true,
  blobByOtherHash: async (_, { projects }) => projects === 'all',
};

/** The same for callers who see some projects. */
export function reachByCid(index: References): ContentReach {
  return {
    ...reachEverything,
    visibility: async (grants) => ({ ...everythingVisible, listed: () => grants.visible() }),
    blobByOtherHash: async (stored, { listed, ...visibility }) =>
      await isSpokenOf(index, stored, (await listed?.()) ?? visibility),
  };
}

/**
 * The statements of the caller's projects and the blobs that they refer to, under any codec. It excludes files that
 * only a collection lists, and blobs that no statement mentions.
 */
export function reachOfProjects(index: References): ContentReach {
  const blob = (cid: Cid, visibility: Visibility) => isSpokenOf(index, cid, visibility);
  return { visibility: async (grants) => await grants.visible(), blob, blobByOtherHash: blob };
}

async function isSpokenOf(index: References, cid: Cid, visibility: Visibility): Promise<boolean> {
  if (visibility.projects === 'all') return true;
  if (visibility.projects.size === 0) return false;
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const scope = { graphId: null, visibility };
    const page: ReferencePage = await index.references(urnsOfBytes(cid), { after, limit: 1 }, scope);
    if (page.references.length > 0) return true;
    after = page.next;
  }
  return false;
}
