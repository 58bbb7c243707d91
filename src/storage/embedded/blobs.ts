import { randomUUID } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../domain/errors.ts';
import type { Cid } from '../../domain/integrity/cid.ts';
import type { BlobContent, BlobStore, ByteRange, StagedBlob } from '../../domain/integrity/ports.ts';
import { type BlobPlaces, blobFile } from './blob-places.ts';
import { isMissingFile, storageFault } from './faults.ts';
import { StagedFile } from './staged-file.ts';

const chunkBytes = 256 << 10;

/** Blobs as files, named by their multihash. A file appears under its name whole, and never changes. */
export class EmbeddedBlobs implements BlobStore {
  readonly #places: BlobPlaces;

  constructor(places: BlobPlaces) {
    this.#places = places;
  }

  async stage(): Promise<StagedBlob> {
    return await StagedFile.open(this.#places, join(this.#places.staging, randomUUID()));
  }

  async size(cid: Cid): Promise<number | undefined> {
    try {
      return (await stat(blobFile(this.#places, cid), { throwIfNoEntry: false }))?.size;
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw storageFault(error);
    }
  }

  async read(cid: Cid, range?: ByteRange): Promise<BlobContent | undefined> {
    const size = await this.size(cid);
    if (size === undefined) return undefined;
    const { first, last } = range ?? { first: 0, last: size - 1 };
    const bytes = fileBytes(blobFile(this.#places, cid), first, last + 1);
    return {
      size,
      bytes,
      async [Symbol.asyncDispose]() {
        await bytes.return(undefined);
      },
    };
  }
}

/** Opens the file when the first chunk is asked for, so that content that nobody reads holds nothing. */
async function* fileBytes(path: string, first: number, end: number): AsyncGenerator<Uint8Array, void> {
  await using file = await openFile(path);
  for (let position = first; position < end; ) {
    const chunk = await readChunk(file, position, Math.min(chunkBytes, end - position));
    if (chunk.length === 0) throw new ServiceError('unavailable', 'A stored blob is shorter than it was.');
    position += chunk.length;
    yield chunk;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw storageFault(error);
  }
}

async function readChunk(file: FileHandle, position: number, length: number): Promise<Uint8Array> {
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw storageFault(error);
  }
}
