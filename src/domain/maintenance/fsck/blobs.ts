import { hashRecord } from '../../integrity/blobs/blob-hashes.ts';
import { cidOfBlobName } from '../../integrity/blobs/blob-names.ts';
import { comparedBytes } from '../../integrity/blobs/blob-store.ts';
import type { Cid } from '../../integrity/identifiers/cid.ts';
import { digestsHasher, furtherHashes } from '../../integrity/identifiers/hashing.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { lost, messageOfDamage, type StoreProblem, strayBlob } from '../problems.ts';
import { fsckHashes } from './blob-hashes.ts';
import type { FsckRun } from './run.ts';

const blobsAtOnce = 4;

const advice = 'Restore it from a backup, or store the right bytes again: "cairn put --again FILE".';

/** Hashes the blobs again, and compares the digests that are kept of them. */
export async function* fsckBlobs(run: FsckRun): AsyncGenerator<StoreProblem> {
  const { store, isWanted, count } = run;
  const check = async (name: string): Promise<StoreProblem[]> => {
    const cid = cidOfBlobName(name);
    if (!cid) return [strayBlob(name)];
    if (!isWanted(cid.digest)) return [];
    const checked = await hashedBlob(store, name, cid);
    count('blobs');
    if (typeof checked === 'string') return [lost('blob', cid.text, checked, advice)];
    return await Array.fromAsync(fsckHashes(run, name, checked));
  };
  const names = store.blobBucket.names();
  for await (const problems of mapConcurrent(names, blobsAtOnce, check)) yield* problems;
}

/** @returns its digests, or what is wrong. */
async function hashedBlob({ blobBucket }: FsckRun['store'], name: string, cid: Cid) {
  try {
    await using content = await blobBucket.read(name);
    if (!content) return 'It is listed and cannot be found';
    const { size } = content;
    const hasher = digestsHasher(size, furtherHashes);
    for await (const chunk of comparedBytes(cid, content.bytes)) hasher.update(chunk);
    return hashRecord(hasher.digests(), size);
  } catch (error) {
    return messageOfDamage(error);
  }
}
