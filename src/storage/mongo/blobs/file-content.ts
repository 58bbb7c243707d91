import type { Collection } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import type { BlobContent, ByteRange } from '../../../domain/integrity/ports.ts';
import { translated } from '../errors.ts';
import type { BlobPlaces, ChunkDocument, FileDocument } from './blob-places.ts';

/** Chunks asked for before they are needed. */
const chunksAhead = 2;

export async function findFile({ files }: BlobPlaces, filename: string): Promise<FileDocument | null> {
  return await translated(() => files.findOne({ filename }));
}

/** What is read by wrong sizes would have no end. @throws ServiceError `unavailable`. */
function demandSizes({ length, chunkSize }: FileDocument): void {
  if (!(Number.isSafeInteger(length) && length >= 0 && Number.isSafeInteger(chunkSize) && chunkSize > 0))
    refuseDamaged();
}

/** A file, or a part of it; undefined when there is none. */
export async function readFileRange(
  places: BlobPlaces,
  filename: string,
  range?: ByteRange,
): Promise<BlobContent | undefined> {
  const file = await findFile(places, filename);
  if (!file) return undefined;
  demandSizes(file);
  const { first, last } = range ?? { first: 0, last: file.length - 1 };
  const bytes = fileBytes(places.chunks, file, first, last + 1);
  return {
    size: file.length,
    bytes,
    async [Symbol.asyncDispose]() {
      await bytes.return(undefined);
    },
  };
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
  const data: unknown = (await translated(() => chunks.findOne({ files_id: _id, n })))?.data;
  const isWhole = data instanceof Uint8Array && data.length === Math.min(chunkSize, length - n * chunkSize);
  return isWhole ? data : refuseDamaged();
}

function refuseDamaged(): never {
  throw new ServiceError('unavailable', 'A stored file is not whole any more.');
}
