import type { Grants } from '../../access/grants.ts';
import { everythingVisible, type Visibility } from '../../access/visibility.ts';
import { type Cid, urnsOfBytes } from '../identifiers/cid.ts';
import type { ReferencePage } from '../ports.ts';
import type { StatementIndex } from '../statements/questions.ts';

/** What a caller can read by knowing a CID. */
export interface ContentReach {
  /** The statements that can be read by CID. @throws ServiceError `unavailable`. */
  visibility(grants: Grants): Promise<Visibility>;
  /** Whether a caller who sees these projects can read a blob by CID. */
  blob(cid: Cid, visibility: Visibility): Promise<boolean>;
}

/** Everything, because only those who were told a CID know it. */
export const reachEverything: ContentReach = {
  visibility: async () => everythingVisible,
  blob: async () => true,
};

/**
 * The statements of the caller's projects and the blobs that they refer to, under any codec. It excludes files that
 * only a collection lists, and blobs that no statement mentions.
 */
export function reachOfProjects(index: Pick<StatementIndex, 'references'>): ContentReach {
  return {
    visibility: async (grants) => await grants.visible(),
    async blob(cid, visibility) {
      if (visibility.projects === 'all') return true;
      if (visibility.projects.size === 0) return false;
      for (const name of urnsOfBytes(cid)) if (await isSpokenOf(index, name, visibility)) return true;
      return false;
    },
  };
}

async function isSpokenOf(
  index: Pick<StatementIndex, 'references'>,
  identifier: string,
  visibility: Visibility,
): Promise<boolean> {
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const scope = { graphId: null, visibility };
    const page: ReferencePage = await index.references(identifier, { after, limit: 1 }, scope);
    if (page.references.length > 0) return true;
    after = page.next;
  }
  return false;
}
