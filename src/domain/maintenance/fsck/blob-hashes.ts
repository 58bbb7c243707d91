import { type BlobHashRecord, blobHashes } from '../../integrity/blobs/blob-hashes.ts';
import { hasLooked, unhashedBlobs } from '../../integrity/blobs/hash-unhashed.ts';
import { jcs } from '../../integrity/identification/jcs.ts';
import type { CheckedStore } from '../contents.ts';
import { repairable, type StoreProblem, unfinished } from '../problems.ts';
import type { FsckRun } from './run.ts';

/**
 * Compares the digests that are kept of a blob. A record without its blob stays, because it is true.
 * @param name of the blob. @param right all its digests.
 */
export async function* fsckHashes(
  { store, repair }: Pick<FsckRun, 'store' | 'repair'>,
  name: string,
  right: BlobHashRecord,
): AsyncGenerator<StoreProblem> {
  const id = right.blake3;
  const known = await store.of(blobHashes).get(id);
  if (!known && !(await isHashed(store, name))) return;
  const record = known ? asFarAs(known, right) : { ...right, md5: null };
  if (known && jcs(known) === jcs(record)) return;
  if (repair) await store.putRecord(blobHashes, record);
  if (known) yield repairable('index', id, 'The index of hashes has other digests for it', { repair });
  else yield unfinished('index', id, 'The index of hashes does not have it yet', { repair });
}

/** The digests that a record has, as they should be. */
function asFarAs(known: BlobHashRecord, right: BlobHashRecord): BlobHashRecord {
  const { sha512, git, md5 } = right;
  return {
    ...right,
    sha512: known.sha512 === null ? null : sha512,
    git: known.git === null ? null : git,
    md5: known.md5 === null ? null : md5,
  };
}

/** Whether a process should have hashed it by now. */
async function isHashed(store: CheckedStore, name: string): Promise<boolean> {
  const unhashed = store.of(unhashedBlobs);
  return (await hasLooked(unhashed)) && (await unhashed.get(name)) === undefined;
}
