import { storeBlob } from '../../integrity/blobs/blobs.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { FsckBlob, StoreProblem, Unreadable } from '../fsck/ports.ts';
import { lost, messageOfDamage, unknownEntry } from '../fsck/problems.ts';
import type { Migrating, MigrationCounts, MigrationTarget } from './ports.ts';
import { SourceReading } from './reading.ts';

const advice = 'Restore it from a backup and repeat, or store it again in the target.';
const blobsAhead = 4;

/** Hashes each blob on its way, unless the target has it. */
export async function* bringBlobs(
  { source, target, onProgress }: Migrating,
  counts: MigrationCounts,
  total: number | undefined,
): AsyncGenerator<StoreProblem> {
  const bring = async (blob: FsckBlob | Unreadable): Promise<StoreProblem | undefined> => {
    if ('problem' in blob) return unknownEntry('blob', blob.id, blob.problem);
    const isKnown = (await target.blobs.size(blob.cid)) !== undefined;
    const problem = isKnown ? undefined : await bringBlob(target, blob);
    if (problem !== undefined) return lost('blob', blob.cid.text, problem, advice);
    counts.blobs += 1;
    if (!isKnown) counts.stored += 1;
    onProgress('blobs', counts.blobs, total);
    return undefined;
  };
  const reading = new SourceReading('blobs');
  for await (const problem of mapConcurrent(reading.of(source.blobs()), blobsAhead, bring))
    if (problem) yield problem;
  yield* reading.problems;
}

async function bringBlob({ blobs }: MigrationTarget, { cid, read }: FsckBlob): Promise<string | undefined> {
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
