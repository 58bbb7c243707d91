import '../src/domain/older-runtimes.ts';
import {
  type Digests,
  type DigestsHasher,
  digestsHasher,
  type FurtherHash,
} from '../src/domain/integrity/identifiers/hashing.ts';
import { lowerPriority } from './thread-priority.ts';

/** A piece of the bytes of a blob, in order. */
export interface HashTask {
  readonly id: number;
  /** Starts a blob. */
  readonly begin: { readonly size: number; readonly further: readonly FurtherHash[] } | null;
  /** Null at the end. */
  readonly chunk: Uint8Array | null;
}

lowerPriority();

const running = new Map<number, DigestsHasher>();

/** @returns the digests at the end of a blob. */
export default function run({ id, begin, chunk }: HashTask): Digests | null {
  if (begin) running.set(id, digestsHasher(begin.size, begin.further));
  const hasher = running.get(id);
  if (!hasher) throw new Error('The thread that has hashed the start of the blob is gone.');
  if (chunk) hasher.update(chunk);
  if (chunk) return null;
  running.delete(id);
  return hasher.digests();
}
