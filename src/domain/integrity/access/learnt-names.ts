import pMap from 'p-map';
import type { KnownBytes, SameBytes } from '../blobs/same-bytes.ts';
import { parseCid } from '../identifiers/cid.ts';
import type { StatementScope } from '../ports.ts';
import type { ContentReach } from './content-reach.ts';

const askedAtOnce = 8;

/**
 * Which CIDs name the same bytes, as far as a reader may learn it. By BLAKE3, bytes are stored and can be read, and other
 * hashes of files are often public. So whoever does not see a statement that names bytes by BLAKE3 learns nothing from
 * another hash, not even from a statement of their own.
 */
export function learntNames(
  {
    sameBytes,
    reach,
  }: { readonly sameBytes: SameBytes; readonly reach: Pick<ContentReach, 'blobByOtherHash'> },
  { visibility }: Pick<StatementScope, 'visibility'>,
): Pick<SameBytes, 'withReferences'> {
  if (visibility.projects === 'all') return sameBytes;
  const maySee = (name: string) => reach.blobByOtherHash(parseCid(name), visibility);
  const learnt = async (id: string, known: KnownBytes): Promise<KnownBytes> => {
    const [blake3, ...others] = known.names;
    if (id === blake3 || (await maySee(blake3))) return known;
    const seen = await pMap(others, async (name) => name === id || (await maySee(name)));
    const [first = id, ...more] = others.filter((_, at) => seen[at]);
    return { ...known, names: [first, ...more] };
  };
  return {
    async withReferences(ids) {
      const known = [...(await sameBytes.withReferences(ids))];
      const filtered = async ([id, bytes]: (typeof known)[number]) => [id, await learnt(id, bytes)] as const;
      return new Map(await pMap(known, filtered, { concurrency: askedAtOnce }));
    },
  };
}
