import { hashSize, leafHash } from '../src/domain/log/merkle/hashing.ts';
import { rootOf } from '../src/domain/log/merkle/range.ts';
import { type TileName, tilePath, tilesOf, tileWidth } from '../src/domain/log/merkle/tiles.ts';
import { type Checkpoint, parseCheckpoint } from '../src/domain/log/notes/checkpoint.ts';
import { verifyNote } from '../src/domain/log/notes/cosignature.ts';
import { parseNote } from '../src/domain/log/notes/signed-note.ts';
import { parseVkey } from '../src/domain/log/notes/vkey.ts';

/** Gets a resource of a log; undefined if it is not there. */
export type Fetching = (path: string) => Promise<Uint8Array | undefined>;

export interface ReadLog {
  readonly checkpoint: Checkpoint;
  readonly entries: readonly Uint8Array[];
}

/** Reads a whole log as a client does, and compares each tile and the root with the entries. */
export async function readLog(fetching: Fetching): Promise<ReadLog> {
  const checkpoint = await readCheckpoint(fetching);
  const get = async (name: TileName) => {
    const bytes = await fetching(`tile/${tilePath(name)}`);
    if (!bytes) throw new Error(`The tile ${tilePath(name)} is missing.`);
    return Buffer.from(bytes);
  };
  const entries: Uint8Array[] = [];
  let level0 = Buffer.alloc(0);
  for (const tile of tilesOf(checkpoint.size)) {
    const hashes = await get(tile);
    if (hashes.length !== tile.width * hashSize)
      throw new Error(`The tile ${tilePath(tile)} has ${hashes.length} bytes.`);
    if (tile.level > 0) continue;
    level0 = Buffer.concat([level0, hashes]);
    entries.push(...entriesIn(await get({ ...tile, level: 'entries' })));
  }
  const leaves = entries.map(leafHash);
  if (!Buffer.concat(leaves).equals(level0)) throw new Error('The tiles have other hashes than the entries.');
  if (!Buffer.from(rootOf(leaves)).equals(checkpoint.root))
    throw new Error('The root is that of other entries.');
  return { checkpoint, entries };
}

/** The newest checkpoint, whose signature is verified with the key of the log. */
export async function readCheckpoint(fetching: Fetching): Promise<Checkpoint> {
  const text = async (path: string) => Buffer.from((await fetching(path)) ?? '').toString();
  const keys = (await text('key')).trimEnd().split('\n').map(parseVkey);
  const note = parseNote(await text('checkpoint'));
  const verified = verifyNote(note, keys);
  const checkpoint = parseCheckpoint(note.text);
  if (verified.length !== keys.length || keys.some(({ name }) => name !== checkpoint.origin))
    throw new Error('The checkpoint is not signed by the keys of the log.');
  return checkpoint;
}

function entriesIn(bundle: Buffer): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const length = bundle.readUInt16BE(at);
    entries.push(bundle.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  if (entries.length > tileWidth) throw new Error('A bundle has too many entries.');
  return entries;
}
