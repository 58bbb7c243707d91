import { hash } from 'node:crypto';

/** Hashes of a Merkle tree (RFC 6962, section 2.1). */
export const hashSize = 32;

export function sha256(bytes: Uint8Array | string): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

export const emptyRoot = sha256('');

const [leafPrefix, nodePrefix] = [0, 1];

export function leafHash(entry: Uint8Array): Uint8Array {
  // One call with a copy takes half the time of updates.
  const leaf = Buffer.allocUnsafe(1 + entry.length);
  leaf[0] = leafPrefix;
  leaf.set(entry, 1);
  return sha256(leaf);
}

/** Nobody else sees this buffer, and nothing awaits while it is filled. */
const node = new Uint8Array(1 + 2 * hashSize);
node[0] = nodePrefix;

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  node.set(left, 1);
  node.set(right, 1 + hashSize);
  return sha256(node);
}

export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
