import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { hasher } from '../src/domain/integrity/identifiers/hashing.ts';

/** A part of a file, and how to hash it. */
export interface FileHashTask {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly algorithm: 'sha256' | 'blake2b' | 'blake3';
  /** Counts the bytes of all tasks, so that another thread can show progress. */
  readonly done: BigInt64Array;
}

const chunkBytes = 1 << 20;

/** @returns the digest in hex; undefined for a file that has ended before. */
export default function run({ path, start, end, algorithm, done }: FileHashTask): string | undefined {
  // A pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const hash =
      algorithm === 'blake2b'
        ? createHash('blake2b512')
        : hasher(algorithm === 'sha256' ? 'sha2-256' : algorithm);
    const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - start));
    for (let at = start; at < end; ) {
      const count = readSync(file, chunk, 0, Math.min(chunk.length, end - at), at);
      if (count === 0) return undefined;
      hash.update(chunk.subarray(0, count));
      at += count;
      Atomics.add(done, 0, BigInt(count));
    }
    return Buffer.from(hash.digest()).toString('hex');
  } finally {
    closeSync(file);
  }
}
