import type { Grants } from '../../access/grants.ts';
import { everythingVisible, type Visibility } from '../../access/visibility.ts';
import type { Folders } from '../folders/folders.ts';
import { type Cid, cidUrn, urnsOfBytes } from '../identifiers/cid.ts';
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

type ReachParts = readonly [
  index: Pick<StatementIndex, 'references' | 'referringTo'>,
  folders: Pick<Folders, 'foldersOf'>,
];

/** Everything by its CID, because only those who were told a CID know it. */
export const reachEverything: ContentReach = {
  visibility: async () => everythingVisible,
  blob: async () => true,
  blobByOtherHash: async (_, { projects }) => projects === 'all',
};

/** What callers can read by knowing a CID, as the operator has set it. */
export function reachOf(scope: 'any' | 'project', ...parts: ReachParts): ContentReach {
  return scope === 'project' ? reachOfProjects(...parts) : reachByCid(...parts);
}

/** The same for callers who see some projects. */
export function reachByCid(...parts: ReachParts): ContentReach {
  return {
    ...reachEverything,
    visibility: async (grants) => ({ ...everythingVisible, listed: () => grants.visible() }),
    blobByOtherHash: async (stored, { listed, ...visibility }) =>
      await isSpokenOf(stored, (await listed?.()) ?? visibility, ...parts),
  };
}

/**
 * The statements of the caller's projects and the blobs that they refer to, under any codec, with the files of folders. It
 * excludes blobs that no statement mentions.
 */
export function reachOfProjects(...parts: ReachParts): ContentReach {
  const blob = (cid: Cid, visibility: Visibility) => isSpokenOf(cid, visibility, ...parts);
  return { visibility: async (grants) => await grants.visible(), blob, blobByOtherHash: blob };
}

async function isSpokenOf(
  cid: Cid,
  visibility: Visibility,
  ...[index, folders]: ReachParts
): Promise<boolean> {
  if (visibility.projects === 'all') return true;
  if (visibility.projects.size === 0) return false;
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const scope = { graphId: null, visibility };
    const page: ReferencePage = await index.references(urnsOfBytes(cid), { after, limit: 1 }, scope);
    if (page.references.length > 0) return true;
    after = page.next;
  }
  const scope = { graphId: null, visibility };
  return (await folders.foldersOf([cidUrn(cid)], index, scope)).size > 0;
}
