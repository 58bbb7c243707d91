import { ServiceError } from '../../../domain/errors.ts';
import type { BlobContent, ByteRange } from '../../../domain/integrity/ports.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import { translated } from '../errors.ts';
import type { BlobPlaces, StoredFile } from './blob-places.ts';

const chunksAtOnce = 3;

/** A file without its bytes. */
export async function findFile({ files }: BlobPlaces, filename: string): Promise<StoredFile | null> {
  return await translated(() => files.findOne({ filename }, { projection: { data: 0 } }));
}

export async function readFileRange(
  places: BlobPlaces,
  filename: string,
  range?: ByteRange,
): Promise<BlobContent | undefined> {
  const file = await translated(() => places.files.findOne({ filename }));
  if (!file) return undefined;
  assertSizes(file);
  const { first, last } = range ?? { first: 0, last: file.length - 1 };
  const bytes = file.data ? wholeBytes(file, first, last + 1) : fileBytes(places, file, first, last + 1);
  return {
    size: file.length,
    bytes,
    async [Symbol.asyncDispose]() {
      await bytes.return(undefined);
    },
  };
}

/** @throws ServiceError `damaged` for a document without valid sizes. */
function assertSizes({ length, chunkSize }: StoredFile): void {
  if (!(Number.isSafeInteger(length) && length >= 0 && Number.isSafeInteger(chunkSize) && chunkSize > 0))
    throwDamaged();
}

async function* wholeBytes({ data, length }: StoredFile, first: number, end: number) {
  if (!(data instanceof Uint8Array && data.length === length)) throwDamaged();
  yield data.subarray(first, end);
}

/**
 * Reads chunks by number, so that no cursor waits on the server for a slow reader. The driver's download stream ends
 * without an error when the last chunks are missing, and crashes the process when a chunk has no bytes.
 */
async function* fileBytes(places: BlobPlaces, file: StoredFile, first: number, end: number) {
  const { chunkSize } = file;
  const read = (n: number) => readChunk(places, file, n);
  let start = Math.floor(first / chunkSize) * chunkSize;
  for await (const chunk of mapConcurrent(
    chunkNumbers(start / chunkSize, end / chunkSize),
    chunksAtOnce,
    read,
  )) {
    yield chunk.subarray(Math.max(first - start, 0), end - start);
    start += chunkSize;
  }
}

function* chunkNumbers(first: number, end: number): Generator<number> {
  for (let n = first; n < end; n += 1) yield n;
}

async function readChunk(
  { chunks }: BlobPlaces,
  { _id, length, chunkSize }: StoredFile,
  n: number,
): Promise<Uint8Array> {
  const data: unknown = (await translated(() => chunks.findOne({ files_id: _id, n })))?.data;
  const isWhole = data instanceof Uint8Array && data.length === Math.min(chunkSize, length - n * chunkSize);
  return isWhole ? data : throwDamaged();
}

function throwDamaged(): never {
  throw new ServiceError('damaged', 'A stored file is damaged. Run "cairn fsck" to see what is affected.');
}
