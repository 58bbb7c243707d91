import { cidOfPack } from '../../control-plane/gateway/sealed-contents.ts';
import { comparedBytes } from '../../integrity/blobs/blob-store.ts';
import type { Cid } from '../../integrity/identifiers/cid.ts';
import { messageOfDamage, type StoreProblem, unknownEntry } from '../problems.ts';
import { leftOut, type MigrationRun, readable } from './run.ts';

/** Copies the packs of bodies and state blobs that the target does not have, and hashes them on the way. */
export async function* copySealed(run: MigrationRun): AsyncGenerator<StoreProblem> {
  for await (const name of readable(run, 'sealed', run.source.sealedContents.names())) {
    const cid = cidOfPack(name);
    if (!cid) {
      yield unknownEntry('sealed', { id: name, problem: 'This is not a pack of sealed contents' });
      continue;
    }
    const problem = await copyPack(run, name, cid);
    if (problem !== undefined) yield leftOut(run, 'sealed', name, problem, 'Restore it from a backup.');
  }
}

async function copyPack(
  { source, target, counts }: MigrationRun,
  name: string,
  cid: Cid,
): Promise<string | undefined> {
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
