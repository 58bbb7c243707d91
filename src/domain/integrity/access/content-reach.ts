import type { Grants } from '../../access/grants.ts';
import { everythingVisible, type Visibility } from '../../access/visibility.ts';
import { type Cid, cidUrn, codecs, makeCid } from '../identifiers/cid.ts';
import type { StatementIndex } from '../statements/questions.ts';

/** How far it goes to know a CID, for somebody who may view something. */
export interface ContentReach {
  /** The statements to which their CIDs lead. @throws ServiceError `unavailable`. */
  visibility(grants: Grants): Promise<Visibility>;
  /** Whether its CID leads to a blob, for somebody who may view these projects. */
  blob(cid: Cid, visibility: Visibility): Promise<boolean>;
}

/** To everything: a CID can be known to those alone who were told. */
export const reachEverything: ContentReach = {
  visibility: async () => everythingVisible,
  blob: async () => true,
};

/**
 * To what the reader's projects hold: their statements, and the blobs that those refer to, under any codec. What a
 * collection lists, and what was uploaded and not spoken of, is not reached.
 */
export function reachOfProjects(index: Pick<StatementIndex, 'references'>): ContentReach {
  return {
    visibility: async (grants) => await grants.visible(),
    async blob(cid, visibility) {
      if (visibility.projects === 'all') return true;
      if (visibility.projects.size === 0) return false;
      for (const name of namesOf(cid)) if (await isSpokenOf(index, name, visibility)) return true;
      return false;
    },
  };
}

/** As statements may name the same bytes. */
function namesOf({ text, digest, multihash }: Cid): Set<string> {
  const others = Object.values(codecs).map((codec) => makeCid(codec, digest, multihash).text);
  return new Set([text, ...others].map(cidUrn));
}

async function isSpokenOf(
  index: Pick<StatementIndex, 'references'>,
  identifier: string,
  visibility: Visibility,
): Promise<boolean> {
  let after: string | null = null;
  do {
    const scope = { graphId: null, visibility };
    const page = await index.references(identifier, { after, limit: 1 }, scope);
    if (page.references.length > 0) return true;
    after = page.next ?? null;
  } while (after !== null);
  return false;
}
