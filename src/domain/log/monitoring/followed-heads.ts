import { isSameHash } from '../merkle/hashing.ts';
import { MerkleRange } from '../merkle/range.ts';
import { type RemoteLog, readEntries } from './followed-log.ts';

/** A head of a log in the service log. */
export interface NotedHead {
  readonly serviceIndex: number;
  readonly size: number;
  readonly root: Uint8Array;
}

/** A head that does not fit the entries of its log. */
export class HeadContradiction extends Error {}

/**
 * Reads the new entries of a log and checks that every head in the service log commits to exactly these.
 * @returns the tree up to the last head.
 * @throws HeadContradiction
 */
export async function followHeads(
  log: Pick<RemoteLog, 'entries'>,
  name: string,
  before: MerkleRange,
  heads: readonly NotedHead[],
): Promise<MerkleRange> {
  const range = new MerkleRange(before.size, before.hashes);
  for (const { serviceIndex, size, root } of heads) {
    const entry = `Entry ${serviceIndex} of the service log says that ${name}`;
    if (size <= range.size)
      throw new HeadContradiction(`${entry} has the size ${size}, and it had ${range.size} entries before.`);
    await readEntries(log, range, size, () => undefined);
    if (!isSameHash(range.root(), root))
      throw new HeadContradiction(`${entry} had another content at size ${size} than it serves now.`);
  }
  return range;
}
