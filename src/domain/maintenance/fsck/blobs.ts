import { hasher } from '../../integrity/identifiers/hashing.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { FsckBlob, StoreContents, StoreProblem, Unreadable } from './ports.ts';
import { lost, messageOfDamage, unknownEntry } from './problems.ts';
import type { IsWanted } from './sample.ts';

/** Read at once, so that the disk has work while bytes are hashed. */
const blobsAhead = 4;

/** Hashes blobs again. @param onBlob told of each that was hashed. */
export async function* fsckBlobs(
  contents: Pick<StoreContents, 'blobs'>,
  isWanted: IsWanted,
  onBlob: (isHashed: boolean) => void,
): AsyncGenerator<StoreProblem> {
  const check = async (blob: FsckBlob | Unreadable): Promise<StoreProblem | undefined> => {
    if ('problem' in blob) return unknownEntry('blob', blob.id, blob.problem);
    const isChosen = isWanted(blob.cid.digest);
    const problem = isChosen ? await blobProblem(blob) : undefined;
    onBlob(isChosen);
    return problem === undefined ? undefined : lost('blob', blob.cid.text, problem);
  };
  for await (const problem of mapConcurrent(contents.blobs(), blobsAhead, check)) if (problem) yield problem;
}

/** What is wrong with the bytes of a blob; undefined when they are what its name says. */
export async function blobProblem({ cid, read }: FsckBlob): Promise<string | undefined> {
  const hash = hasher(cid.multihash);
  try {
    await using content = await read();
    if (!content) return 'It is listed and cannot be found';
    for await (const chunk of content.bytes) hash.update(chunk);
  } catch (error) {
    return messageOfDamage(error);
  }
  return Buffer.compare(hash.digest(), cid.digest) === 0 ? undefined : 'Its bytes do not hash to its name';
}
