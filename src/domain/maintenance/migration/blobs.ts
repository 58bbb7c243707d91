import { cidOfPack } from '../../control-plane/gateway/sealed-contents.ts';
import { cidOfBlobName } from '../../integrity/blobs/blob-names.ts';
import { comparedBytes } from '../../integrity/blobs/blob-store.ts';
import { storeBlob } from '../../integrity/blobs/upload.ts';
import type { Cid } from '../../integrity/identifiers/cid.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { messageOfDamage, type StoreProblem, strayBlob, unknownEntry } from '../problems.ts';
import { leftOut, type MigrationRun, readable } from './run.ts';

const blobsAtOnce = 4;

/** Copies the blobs that the target does not have, and hashes them on the way. */
export async function* copyBlobs(run: MigrationRun): AsyncGenerator<StoreProblem> {
  const { source, target, counts, count } = run;
  const copy = async (name: string): Promise<StoreProblem | undefined> => {
    const cid = cidOfBlobName(name);
    if (!cid) return strayBlob(name);
    const isKnown = (await target.blobs.size(cid)) !== undefined;
    const problem = isKnown ? undefined : await copyBlob(run, name, cid);
    if (problem !== undefined) return leftOut(run, { kind: 'blob', id: cid.text, problem });
    if (!isKnown) counts.stored += 1;
    count('blobs', 1);
    return undefined;
  };
  const names = readable(run, 'blobs', source.blobBucket.names());
  for await (const problem of mapConcurrent(names, blobsAtOnce, copy)) if (problem) yield problem;
}

async function copyBlob({ source, target }: MigrationRun, name: string, cid: Cid) {
  const limit = { bytes: Number.POSITIVE_INFINITY, setting: '' };
  try {
    await using content = await source.blobBucket.read(name);
    if (!content) return 'It is listed and cannot be found';
    await storeBlob(target.blobs, content.bytes, { expected: cid }, limit);
    return undefined;
  } catch (error) {
    return messageOfDamage(error);
  }
}

/** Copies the packs of bodies and state blobs that the target does not have, and hashes them on the way. */
export async function* copySealed(run: MigrationRun): AsyncGenerator<StoreProblem> {
  for await (const name of readable(run, 'sealed', run.source.sealedContents.names())) {
    const cid = cidOfPack(name);
    if (!cid) {
      yield unknownEntry('sealed', { id: name, problem: 'This is not a pack of sealed contents' });
      continue;
    }
    const problem = await copyPack(run, name, cid);
    if (problem !== undefined)
      yield leftOut(run, { kind: 'sealed', id: name, problem }, 'Restore it from a backup.');
  }
}

async function copyPack({ source, target, counts }: MigrationRun, name: string, cid: Cid) {
  await using known = await target.sealedContents.read(name);
  if (known) return undefined;
  await using content = await source.sealedContents.read(name);
  if (!content) return 'It is listed and cannot be found';
  const staged = await target.sealedContents.stage();
  try {
    for await (const chunk of comparedBytes(cid, content.bytes)) await staged.write(chunk);
    await staged.commit(name);
    counts.stored += 1;
    return undefined;
  } catch (error) {
    await staged.discard();
    return messageOfDamage(error);
  }
}
