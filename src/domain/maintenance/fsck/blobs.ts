import { comparedBytes } from '../../integrity/blobs/verified-blobs.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { BlobEntry } from '../contents.ts';
import { lost, messageOfDamage, type StoreProblem, type Unreadable, unknownEntry } from '../problems.ts';
import type { FsckRun } from './run.ts';

const blobsAtOnce = 4;

const advice = 'Restore it from a backup, or store the right bytes again: "cairn put --again FILE".';

/** Hashes the blobs again. */
export async function* fsckBlobs({ store, isWanted, count }: FsckRun): AsyncGenerator<StoreProblem> {
  const check = async (blob: BlobEntry | Unreadable): Promise<StoreProblem | undefined> => {
    if ('problem' in blob) return unknownEntry('blob', blob);
    if (!isWanted(blob.cid.digest)) return undefined;
    const problem = await blobProblem(blob);
    count('blobs');
    return problem === undefined ? undefined : lost('blob', blob.cid.text, problem, advice);
  };
  for await (const problem of mapConcurrent(store.blobs(), blobsAtOnce, check)) if (problem) yield problem;
}

async function blobProblem({ cid, read }: BlobEntry): Promise<string | undefined> {
  try {
    await using content = await read();
    if (!content) return 'It is listed and cannot be found';
    for await (const _ of comparedBytes(cid, content.bytes));
    return undefined;
  } catch (error) {
    return messageOfDamage(error);
  }
}
