import { statSync } from 'node:fs';
import { constants, open } from 'node:fs/promises';
import { pooledBytes, takeBuffer } from '../../../domain/buffer-pool.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { BlobContent, ByteRange } from '../../../domain/integrity/ports.ts';
import { fileReadError } from '../errors.ts';

/** Asks at once, because the thread pool takes twenty times as long as the question. */
export async function fileSize(path: string): Promise<number | undefined> {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    throw fileReadError(error);
  }
}

export async function readFileRange(path: string, range?: ByteRange): Promise<BlobContent | undefined> {
  const size = await fileSize(path);
  if (size === undefined) return undefined;
  const { first, last } = range ?? { first: 0, last: size - 1 };
  const bytes = fileBytes(path, first, last + 1);
  return {
    size,
    bytes,
    async [Symbol.asyncDispose]() {
      await bytes.return(undefined);
    },
  };
}

/** Opens the file only when the first chunk is requested, so unread content holds no file handle. */
async function* fileBytes(path: string, first: number, end: number): AsyncGenerator<Uint8Array, void> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait forever.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    for (let position = first; position < end; ) {
      const length = Math.min(pooledBytes, end - position);
      const target = length === pooledBytes ? takeBuffer() : Buffer.allocUnsafeSlow(length);
      const { buffer, bytesRead } = await file.read(target, 0, length, position);
      if (bytesRead === 0) throw new ServiceError('damaged', 'A stored file is shorter than it was.');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw fileReadError(error);
  }
}
