import { storeBlob } from '../../integrity/blobs/blobs.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { BlobEntry } from '../contents.ts';
import { messageOfDamage, type StoreProblem, type Unreadable, unknownEntry } from '../problems.ts';
import { leftOut, type MigrationRun, type MigrationTarget, readable } from './run.ts';

const blobsAtOnce = 4;

/** Copies the blobs that the target does not have, and hashes them on the way. */
export async function* copyBlobs(run: MigrationRun): AsyncGenerator<StoreProblem> {
  const { source, target, counts, count } = run;
  const copy = async (blob: BlobEntry | Unreadable): Promise<StoreProblem | undefined> => {
    if ('problem' in blob) return unknownEntry('blob', blob);
    const isKnown = (await target.blobs.size(blob.cid)) !== undefined;
    const problem = isKnown ? undefined : await copyBlob(target, blob);
    if (problem !== undefined) return leftOut(run, 'blob', blob.cid.text, problem);
    if (!isKnown) counts.stored += 1;
    count('blobs', 1);
    return undefined;
  };
  const blobs = readable(run, 'blobs', source.blobs());
  for await (const problem of mapConcurrent(blobs, blobsAtOnce, copy)) if (problem) yield problem;
}

async function copyBlob({ blobs }: MigrationTarget, { cid, read }: BlobEntry): Promise<string | undefined> {
  const limit = { bytes: Number.POSITIVE_INFINITY, setting: '' };
  try {
    await using content = await read();
    if (!content) return 'It is listed and cannot be found';
    await storeBlob(blobs, content.bytes, { expected: cid }, limit);
    return undefined;
  } catch (error) {
    return messageOfDamage(error);
  }
}
