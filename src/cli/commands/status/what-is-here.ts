import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { cidUrn, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import { fileCid, filesBelow } from '../../client/local-files.ts';
import { hashPlaces } from '../../record/artifacts.ts';
import { isBelow, placeAt, type RecordedPath } from '../../record/places.ts';
import { explanationOf } from '../../terminal/explanation.ts';
import type { Io } from '../../terminal/io.ts';
import type { Here } from './compare.ts';
import type { RecordedItem } from './recorded-runs.ts';

const mostWalked = 200_000;
/** Smaller files are equal by chance. */
const leastBytes = 8;

/** What is at the places of recorded items in a folder. Each is read once. */
export async function whatIsHere(
  io: Pick<Io, 'stderr'>,
  root: string,
  items: readonly RecordedItem[],
): Promise<Map<string, Here>> {
  const found = new Map<string, Here>();
  const places: RecordedPath[] = [];
  const isUnreadable = (path: string) => (error: unknown) =>
    void found.set(path, { unreadable: explanationOf(error).trimEnd() });
  for (const path of new Set(items.map((item) => item.path))) {
    const absolute = resolve(root, path);
    // Anybody may have written the path.
    const place = isBelow(absolute, root)
      ? await placeAt(absolute, { root, cwd: root }).catch(isUnreadable(path))
      : undefined;
    if (place) places.push({ ...place, path });
    else if (!found.has(path)) found.set(path, { missing: true });
  }
  const hashed = await hashPlaces(io, places, ({ path }, error) => isUnreadable(path)(error));
  for (const { path, cid } of hashed) found.set(path, { cid: cidUrn(cid) });
  const lost = items.filter(
    ({ path, size = 0 }) => size >= leastBytes && 'missing' in (found.get(path) ?? {}),
  );
  for (const [path, movedTo] of await movedFiles(root, lost)) found.set(path, { missing: true, movedTo });
  return found;
}

/** Where files with the same bytes are now, by the path where they are missing. It is a hint: unreadable files end the search. */
async function movedFiles(root: string, lost: readonly RecordedItem[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const sizes = new Set(lost.map(({ size }) => size));
  let walked = 0;
  try {
    for await (const { name, path } of lost.length > 0 ? filesBelow(root, () => undefined) : []) {
      walked += 1;
      if (walked > mostWalked) break;
      if (!sizes.has(statSync(path).size)) continue;
      const cid = cidUrn((await fileCid(path, { codec: codecs.raw, multihash: 'blake3' })).cid);
      for (const item of lost) if (item.cid === cid) found.set(item.path, name);
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
  return found;
}
