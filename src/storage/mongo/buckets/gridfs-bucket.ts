import { type Filter, ObjectId } from 'mongodb';
import type { Bucket, Buckets } from '../../../domain/bucket.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { ByteRange } from '../../../domain/integrity/ports.ts';
import { mapConcurrent } from '../../../domain/map-concurrent.ts';
import { repeat } from '../../repeat.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { pagesByKey } from '../some-documents.ts';
import {
  type BucketFiles,
  bucketFiles,
  bucketNames,
  removeUploads,
  type StoredFile,
  sweepUploads,
} from './bucket-files.ts';
import { putSmallFiles } from './small-files.ts';
import { stagedFile } from './staged-file.ts';

/** All processes remove orphans, at the start and then hourly. */
const sweepEveryMs = 3_600_000;

/** The buckets of a database. Interrupted uploads are removed until they are disposed of. */
export function openGridFs(database: Database): Buckets & Disposable {
  const sweeps = repeat(sweepEveryMs, async () => {
    for (const name of bucketNames)
      await sweepUploads(bucketFiles(database, name), database.now()).catch(() => {});
  });
  return { ...gridFsBuckets(database), [Symbol.dispose]: () => sweeps[Symbol.dispose]() };
}

/** The buckets as they are. */
export function gridFsBuckets(database: Database): Buckets {
  return {
    blobs: gridFsBucket(bucketFiles(database, 'blobs')),
    exportResults: gridFsBucket(bucketFiles(database, 'exports')),
    sealedContents: gridFsBucket(bucketFiles(database, 'sealed')),
  };
}

const pageFiles = 1_000;

export function gridFsBucket(bucket: BucketFiles): Bucket {
  const { files } = bucket;
  const withoutBytes = (filename: string) =>
    translated(() => files.findOne({ filename }, { projection: { data: 0 } }));
  return {
    stage: async () => stagedFile(bucket),
    size: async (name) => (await withoutBytes(name))?.length,
    read: (name, range) => readFileRange(bucket, name, range),
    readSmall: (names, limit) => readSmallFiles(bucket, names, limit),
    putSmall: (contents) => putSmallFiles(bucket, contents),
    async remove(name) {
      const file = await withoutBytes(name);
      if (file) await translated(() => removeUploads(bucket, [file._id]));
    },
    async *names() {
      const page = { first: ObjectId.createFromTime(0), limit: pageFiles, projection: { filename: 1 } };
      for await (const found of pagesByKey(files, page))
        for (const { filename } of found) if (typeof filename === 'string') yield filename;
    },
  };
}

async function readFileRange(bucket: BucketFiles, filename: string, range?: ByteRange) {
  const file = await translated(() => bucket.files.findOne({ filename }));
  if (!file) return undefined;
  assertSizes(file);
  const { first, last } = range ?? { first: 0, last: file.length - 1 };
  const bytes = file.data ? wholeBytes(file, first, last + 1) : fileBytes(bucket, file, first, last + 1);
  return { size: file.length, bytes, [Symbol.asyncDispose]: () => bytes[Symbol.asyncDispose]() };
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

const chunksAtOnce = 3;

/**
 * Reads chunks by number, so that no cursor waits on the server for a slow reader. The driver's download stream ends
 * without an error when the last chunks are missing, and crashes the process when a chunk has no bytes.
 */
async function* fileBytes(bucket: BucketFiles, file: StoredFile, first: number, end: number) {
  const { chunkSize } = file;
  const read = (n: number) => readChunk(bucket, file, n);
  let start = Math.floor(first / chunkSize) * chunkSize;
  const numbers = chunkNumbers(start / chunkSize, end / chunkSize);
  for await (const chunk of mapConcurrent(numbers, chunksAtOnce, read)) {
    yield chunk.subarray(Math.max(first - start, 0), end - start);
    start += chunkSize;
  }
}

function* chunkNumbers(first: number, end: number): Generator<number> {
  for (let n = first; n < end; n += 1) yield n;
}

async function readChunk({ chunks }: BucketFiles, { _id, length, chunkSize }: StoredFile, n: number) {
  const data: unknown = (await translated(() => chunks.findOne({ files_id: _id, n })))?.data;
  const isWhole = data instanceof Uint8Array && data.length === Math.min(chunkSize, length - n * chunkSize);
  return isWhole ? data : throwDamaged();
}

/** Reads small files with two queries, or with one if there are none. Each has one chunk at most. */
async function readSmallFiles(
  { files, chunks }: BucketFiles,
  names: readonly string[],
  limit: number,
): Promise<(Uint8Array | undefined)[]> {
  if (names.length === 0) return [];
  const isSmall: Filter<StoredFile> = { filename: { $in: [...names] }, length: { $lte: limit } };
  const found = await translated(() => files.find(isSmall).toArray());
  const chunked = found.filter(({ data, length }) => !data && length > 0).map(({ _id }) => _id);
  const first = { files_id: { $in: chunked }, n: 0 };
  const parts = chunked.length > 0 ? await translated(() => chunks.find(first).toArray()) : [];
  const bytesOf = new Map(parts.map(({ files_id, data }) => [files_id.toHexString(), data as unknown]));
  const contents = new Map<string, Uint8Array>();
  for (const { _id, filename, length, data = bytesOf.get(_id.toHexString()) } of found) {
    const bytes = length === 0 ? Buffer.alloc(0) : data;
    if (bytes instanceof Uint8Array && bytes.length === length) contents.set(filename, bytes);
  }
  return names.map((name) => contents.get(name));
}

function throwDamaged(): never {
  throw new ServiceError('damaged', 'A stored file is damaged. Run "cairn fsck" to see what is affected.');
}
