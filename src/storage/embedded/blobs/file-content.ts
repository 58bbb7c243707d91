import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import { ServiceError } from '../../../domain/errors.ts';
import type { BlobContent, ByteRange } from '../../../domain/integrity/ports.ts';
import { fileReadError, isMissingFile } from '../errors.ts';

const chunkBytes = 256 << 10;

export async function fileSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path, { throwIfNoEntry: false }))?.size;
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw fileReadError(error);
  }
}

/** A file that nobody changes, or a part of it; undefined when there is none. */
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

/** Opens the file when the first chunk is asked for, so that content that nobody reads holds nothing. */
async function* fileBytes(path: string, first: number, end: number): AsyncGenerator<Uint8Array, void> {
  await using file = await openFile(path);
  for (let position = first; position < end; ) {
    const chunk = await readChunk(file, position, Math.min(chunkBytes, end - position));
    if (chunk.length === 0) throw new ServiceError('unavailable', 'A stored file is shorter than it was.');
    position += chunk.length;
    yield chunk;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // A pipe that somebody has put there would be waited for otherwise.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw fileReadError(error);
  }
}

async function readChunk(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw fileReadError(error);
  }
}
