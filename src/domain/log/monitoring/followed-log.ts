import { ServiceError } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { isSameHash, leafHash } from '../merkle/hashing.ts';
import { consistencyProof, type TileReader, verifyConsistency } from '../merkle/proofs.ts';
import { MerkleRange } from '../merkle/range.ts';
import { tileWidth } from '../merkle/tiles.ts';
import { parseCheckpoint } from '../notes/checkpoint.ts';
import { parseNote } from '../notes/signed-note.ts';
import { type LogTrust, type VerifiedCheckpoint, verifyCheckpoint } from '../notes/tlog-proof.ts';
import { LogProofError } from '../proof-error.ts';

/** Reads a log of somebody else (c2sp.org/tlog-tiles). */
export interface RemoteLog extends TileReader {
  checkpoint(): Promise<string>;
  /** The first `width` entries of a bundle. @throws ServiceError `damaged` for a missing one. */
  entries(bundle: { readonly index: number; readonly width: number }): Promise<readonly Uint8Array[]>;
}

/** The tree of a log as far as its entries were read and hashed. */
export interface Followed {
  /** The checkpoint that was verified last. */
  readonly note: string;
  readonly range: MerkleRange;
}

/** A log has signed what it denies now, or serves what it has not signed. Both checkpoints prove the first. */
export class LogContradiction extends Error {
  readonly before: string;
  readonly now: string;

  constructor(message: string, { before, now }: { readonly before: string; readonly now: string }) {
    super(message);
    this.name = 'LogContradiction';
    this.before = before;
    this.now = now;
  }
}

export interface Step {
  readonly followed: Followed;
  readonly verified: VerifiedCheckpoint;
  /** Whether the log has answered a checkpoint that is older than the last one, and no contradiction to it. */
  readonly isOlder: boolean;
}

const bundlesAtOnce = 8;

/**
 * Reads the newest checkpoint of a log, and all entries since the last one, and checks that its tree has exactly these.
 * @param before undefined: from the first entry.
 * @param each is called with every new entry.
 * @throws LogContradiction; LogProofError for a checkpoint that the trusted keys have not signed.
 */
export async function followLog(
  log: RemoteLog,
  before: Followed | undefined,
  trust: LogTrust,
  each: (entry: Uint8Array, index: number) => void,
): Promise<Step> {
  const now = await log.checkpoint();
  const verified = verifyCheckpoint(now, trust);
  const { size, root } = verified.checkpoint;
  const notes = { before: before?.note ?? '', now };
  if (before) {
    const last = parseCheckpoint(parseNote(before.note).text);
    const [older, newer] = size < last.size ? [verified.checkpoint, last] : [last, verified.checkpoint];
    await assertOneTree(log, older, newer, notes);
    if (size < last.size) return { followed: before, verified, isOlder: true };
  }
  const range = new MerkleRange(before?.range.size, before?.range.hashes);
  await readEntries(log, range, size, each);
  if (!isSameHash(range.root(), root))
    throw new LogContradiction(`The log serves other entries than its tree of size ${size} has.`, notes);
  return { followed: { note: now, range }, verified, isOlder: false };
}

interface Head {
  readonly size: number;
  readonly root: Uint8Array;
}

async function assertOneTree(
  log: RemoteLog,
  older: Head,
  newer: Head,
  notes: { readonly before: string; readonly now: string },
): Promise<void> {
  if (older.size === newer.size && !isSameHash(older.root, newer.root))
    throw new LogContradiction(`The log has two trees of size ${newer.size}.`, notes);
  try {
    const path = await consistencyProof(log, older.size, newer.size);
    verifyConsistency({ oldSize: older.size, size: newer.size, oldRoot: older.root, root: newer.root, path });
  } catch (error) {
    // A tree that the log does not serve any more is one that it denies.
    if (!(error instanceof LogProofError || isMissing(error))) throw error;
    const message = `The tree of size ${newer.size} does not contain the tree of size ${older.size}. ${error.message}`;
    throw new LogContradiction(message, notes);
  }
}

function isMissing(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'damaged';
}

/** Appends the entries of a log up to a size. */
export async function readEntries(
  log: Pick<RemoteLog, 'entries'>,
  range: MerkleRange,
  size: number,
  each: (entry: Uint8Array, index: number) => void,
): Promise<void> {
  const bundles = bundlesFrom(range.size, size);
  const read = async (bundle: { readonly index: number; readonly width: number }) => ({
    ...bundle,
    entries: await log.entries(bundle),
  });
  for await (const { index, width, entries } of mapConcurrent(bundles, bundlesAtOnce, read))
    for (const entry of entries.slice(range.size - index * tileWidth, width)) {
      each(entry, range.size);
      range.append(leafHash(entry));
    }
}

function* bundlesFrom(from: number, size: number) {
  for (let index = Math.floor(from / tileWidth); index * tileWidth < size; index += 1)
    yield { index, width: Math.min(tileWidth, size - index * tileWidth) };
}
