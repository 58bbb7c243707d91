import type { Collection } from 'mongodb';
import { ServiceError } from '../../domain/errors.ts';
import type { Cid } from '../../domain/integrity/cid.ts';
import type { BlobContent, BlobStore, ByteRange, StagedBlob } from '../../domain/integrity/ports.ts';
import { type BlobPlaces, blobName, type ChunkDocument, type FileDocument } from './blob-places.ts';
import { translated } from './faults.ts';
import { StagedFile } from './staged-file.ts';

/** Chunks asked for before they are needed. */
const chunksAhead = 2;

/** Blobs in GridFS, each a file that is named by its multihash, appears whole, and never changes. */
export class MongoBlobs implements BlobStore {
  readonly #places: BlobPlaces;

  constructor(places: BlobPlaces) {
    this.#places = places;
  }

  async stage(): Promise<StagedBlob> {
    return new StagedFile(this.#places);
  }

  async size(cid: Cid): Promise<number | undefined> {
    return (await this.#file(cid))?.length;
  }

  async read(cid: Cid, range?: ByteRange): Promise<BlobContent | undefined> {
    const file = await this.#file(cid);
    if (!file) return undefined;
    const { first, last } = range ?? { first: 0, last: file.length - 1 };
    const bytes = fileBytes(this.#places.chunks, file, first, last + 1);
    return {
      size: file.length,
      bytes,
      async [Symbol.asyncDispose]() {
        await bytes.return(undefined);
      },
    };
  }

  async #file(cid: Cid): Promise<FileDocument | null> {
    return await translated(() => this.#places.files.findOne({ filename: blobName(cid) }));
  }
}

/** Asks for chunks by their numbers: nothing waits on the server for a reader who takes a long time. */
async function* fileBytes(
  chunks: Collection<ChunkDocument>,
  file: FileDocument,
  first: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  const asked: Promise<Uint8Array>[] = [];
  let next = Math.floor(first / file.chunkSize);
  for (let position = first; position < end; ) {
    for (; asked.length <= chunksAhead && next * file.chunkSize < end; next += 1) {
      const chunk = readChunk(chunks, file, next);
      // Whoever leaves early does not wait for it.
      chunk.catch(() => {});
      asked.push(chunk);
    }
    const data = (await asked.shift()) ?? new Uint8Array();
    const start = position - Math.floor(position / file.chunkSize) * file.chunkSize;
    const part = data.subarray(start, start + end - position);
    position += part.length;
    yield part;
  }
}

/** @throws ServiceError `unavailable` when the chunk is not there whole. */
async function readChunk(
  chunks: Collection<ChunkDocument>,
  { _id, length, chunkSize }: FileDocument,
  n: number,
): Promise<Uint8Array> {
  const chunk = await translated(() => chunks.findOne({ files_id: _id, n }, { projection: { data: 1 } }));
  if (chunk?.data.length === Math.min(chunkSize, length - n * chunkSize)) return chunk.data;
  throw new ServiceError('unavailable', 'A stored blob is not whole any more.');
}
