import { createHash } from 'node:crypto';
import { Blake3Hasher } from '@napi-rs/blake-hash';
import type { MultihashName } from './cid.ts';

/** A hash that takes its input in pieces. */
export interface Hasher {
  update(chunk: Uint8Array): void;
  digest(): Uint8Array;
}

export function hasher(multihash: MultihashName): Hasher {
  return multihash === 'blake3' ? blake3Hasher() : sha256Hasher();
}

function blake3Hasher(): Hasher {
  const state = new Blake3Hasher();
  return { update: (chunk) => void state.update(chunk), digest: () => new Uint8Array(state.digestBuffer()) };
}

function sha256Hasher(): Hasher {
  const state = createHash('sha256');
  return { update: (chunk) => void state.update(chunk), digest: () => new Uint8Array(state.digest()) };
}
