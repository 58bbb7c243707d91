import { cidOfBlobName } from '../../integrity/blobs/blob-names.ts';
import { comparedBytes } from '../../integrity/blobs/blob-store.ts';
import type { Cid } from '../../integrity/identifiers/cid.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { lost, messageOfDamage, type StoreProblem, strayBlob } from '../problems.ts';
import type { FsckRun } from './run.ts';

const blobsAtOnce = 4;

const advice = 'Restore it from a backup, or store the right bytes again: "cairn put --again FILE".';

/** Hashes the blobs again. */
export async function* fsckBlobs({ store, isWanted, count }: FsckRun): AsyncGenerator<StoreProblem> {
  const check = async (name: string): Promise<StoreProblem | undefined> => {
    const cid = cidOfBlobName(name);
    if (!cid) return strayBlob(name);
    if (!isWanted(cid.digest)) return undefined;
    const problem = await blobProblem(store, name, cid);
    count('blobs');
    return problem === undefined ? undefined : lost('blob', cid.text, problem, advice);
  };
  const names = store.blobBucket.names();
  for await (const problem of mapConcurrent(names, blobsAtOnce, check)) if (problem) yield problem;
}

async function blobProblem({ blobBucket }: FsckRun['store'], name: string, cid: Cid) {
  try {
    await using content = await blobBucket.read(name);
    if (!content) return 'It is listed and cannot be found';
    for await (const _ of comparedBytes(cid, content.bytes));
    return undefined;
  } catch (error) {
    return messageOfDamage(error);
  }
}
