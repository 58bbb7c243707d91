import { randomUUID } from 'node:crypto';
import { accessSync, createWriteStream, existsSync, fdatasync, statSync, type WriteStream } from 'node:fs';
import { constants, mkdir, open, opendir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type Bucket, type Buckets, putEach, readEach, type StagedBytes } from '../../../domain/bucket.ts';
import { pooledBytes, takeBuffer } from '../../../domain/buffer-pool.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { contentOf } from '../../../domain/integrity/blobs/blob-store.ts';
import type { BlobContent, ByteRange } from '../../../domain/integrity/ports.ts';
import { stagedBytes, type UploadTarget } from '../../staged-bytes.ts';
import { fileReadError, isMissingFile, startError, storageError } from '../errors.ts';
import { DurableFolders, syncFolder } from './durable-folders.ts';
import { type SmallBlobs, type SmallStaging, stagedSmall } from './small-blobs.ts';

const folders = { blobs: 'blobs', exportResults: 'exports', sealedContents: 'sealed', staging: 'staging' };

/** Creates the folders of the buckets, and removes what an earlier process left in staging. */
export async function openFolderBuckets(dataDir: string, small: SmallBlobs): Promise<Buckets> {
  try {
    await rm(stagingIn(dataDir), { recursive: true, force: true });
    for (const folder of Object.values(folders))
      await mkdir(join(dataDir, folder), { recursive: true, mode: 0o700 });
    await syncFolder(dataDir);
    return folderBuckets(dataDir, small);
  } catch (error) {
    throw startError(error, dataDir);
  }
}

/** The buckets as they are. */
export function folderBuckets(dataDir: string, small: SmallBlobs): Buckets {
  return {
    blobs: withSmallBlobs(folderBucket(dataDir, folders.blobs, { isNested: true }), small),
    exportResults: folderBucket(dataDir, folders.exportResults, { isNested: false }),
    sealedContents: folderBucket(dataDir, folders.sealedContents, { isNested: false }),
  };
}

/** The folder for files that are still being written. */
export function stagingIn(dataDir: string): string {
  return join(dataDir, folders.staging);
}

/** @throws ServiceError `unavailable` if the folder of blobs cannot be read. */
export function assertBlobFolder(dataDir: string): void {
  try {
    accessSync(join(dataDir, folders.blobs));
  } catch (error) {
    throw fileReadError(error);
  }
}

/** @param isNested whether the folder has folders with the first bytes of the digests that are the names of blobs. */
function folderBucket(dataDir: string, folder: string, { isNested }: { readonly isNested: boolean }): Bucket {
  const root = join(dataDir, folder);
  const durable = new DurableFolders(root);
  const fileOf = isNested ? (name: string) => blobFile(root, name) : (name: string) => join(root, name);
  const bucket: Bucket = {
    stage: async () => stagedFile(stagingIn(dataDir), durable, fileOf),
    size: async (name) => fileSize(fileOf(name)),
    read: async (name, range) => readFileRange(fileOf(name), range),
    async readSmall(names, limit) {
      const there = names.filter((name) => fileSize(fileOf(name)) !== undefined);
      const read = await readEach(bucket, there, limit);
      const found = new Map(there.map((name, at) => [name, read[at]]));
      return names.map((name) => found.get(name));
    },
    putSmall: (contents) => putEach(bucket, contents),
    async remove(name) {
      await rm(fileOf(name), { force: true }).catch((error: unknown) => {
        throw storageError(error);
      });
    },
    async *names() {
      for await (const path of filesIn(root, isNested)) {
        const name = basename(path);
        yield fileOf(name) === path ? name : relative(root, path);
      }
    },
  };
  return bucket;
}

/** A bucket that keeps small contents in the database. Older stores have files of such contents, too. */
function withSmallBlobs(files: Bucket, small: SmallBlobs): Bucket {
  const staging: SmallStaging = { staged: 0 };
  const bucket: Bucket = {
    stage: async () =>
      stagedSmall(staging, files.stage, async (name, bytes, isIntact) => {
        const isFile = small.size(name) === undefined && (await files.size(name)) !== undefined;
        if (isFile && (!isIntact || (await isIntact()))) return 'known';
        const outcome = await small.put(name, bytes);
        return isFile ? 'known' : outcome;
      }),
    size: async (name) => small.size(name) ?? (await files.size(name)),
    async read(name, range) {
      const bytes = small.read(name);
      if (!bytes) return await files.read(name, range);
      return contentOf(range ? bytes.subarray(range.first, range.last + 1) : bytes, bytes.length);
    },
    async readSmall(names, limit) {
      const found = small.readAll(names, limit);
      const rest = names.filter((name) => !found.has(name));
      const inFiles = await files.readSmall(rest, limit);
      for (const [at, name] of rest.entries()) if (inFiles[at]) found.set(name, inFiles[at]);
      return names.map((name) => found.get(name));
    },
    // A row stands before a file of the same name, which has the same content or is damaged.
    putSmall: (contents) => small.putAll(contents),
    async remove(name) {
      await small.remove(name);
      await files.remove(name);
    },
    async *names() {
      yield* small.names();
      for await (const name of files.names()) if (small.size(name) === undefined) yield name;
    },
  };
  return bucket;
}

/** The file of a blob, below folders with the first two bytes of its digest. */
export function blobFile(root: string, name: string): string {
  const digest = name.slice(name.indexOf('-') + 1);
  return join(root, digest.slice(0, 2), digest.slice(2, 4), name);
}

/** A folder that a backup has left out because it was empty is empty. That of blobs never is. */
async function* filesIn(folder: string, isNested: boolean): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) yield path;
      else if (isNested) yield* filesIn(path, isNested);
    }
  } catch (error) {
    if (isNested) throw fileReadError(error);
    if (!isMissingFile(error)) throw storageError(error);
  }
}

/** Asks at once, because the thread pool takes twenty times as long as the question. */
function fileSize(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    throw fileReadError(error);
  }
}

function readFileRange(path: string, range?: ByteRange): BlobContent | undefined {
  const size = fileSize(path);
  if (size === undefined) return undefined;
  const { first, last } = range ?? { first: 0, last: size - 1 };
  const bytes = fileBytes(path, first, last + 1);
  return { size, bytes, [Symbol.asyncDispose]: () => bytes[Symbol.asyncDispose]() };
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

/** A file in the staging folder. It is renamed when its bytes are durable. */
function stagedFile(staging: string, folders: DurableFolders, fileOf: (name: string) => string): StagedBytes {
  const path = join(staging, randomUUID());
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  return stagedBytes({
    stream,
    earlySync: earlySyncs(stream),
    async publish(name) {
      const target = fileOf(name);
      const isKnown = existsSync(target);
      await folders.make(dirname(target));
      // Replacing a file of the same name repairs it if it is damaged.
      await rename(path, target);
      await folders.sync(dirname(target));
      return isKnown ? 'known' : 'stored';
    },
    remove: () => rm(path, { force: true }),
    errorOf: storageError,
  });
}

/** A sync begins after this many bytes. */
const bytesAtOnce = 32 << 20;

/** Syncs a large file while it arrives, because one long sync at its end would hold up the writes of others. */
function earlySyncs(stream: WriteStream): UploadTarget['earlySync'] {
  let file: number | undefined;
  let unsynced = 0;
  let syncing: Promise<void> | undefined;
  stream.once('open', (opened) => {
    file = opened;
  });
  return {
    async written(bytes) {
      unsynced += bytes;
      if (file === undefined || unsynced < bytesAtOnce) return;
      unsynced = 0;
      await syncing;
      syncing = promisify(fdatasync)(file);
      syncing.catch(() => {});
    },
    // The system reports an error to one sync only, so the last one may not know of it.
    end: async () => await syncing,
  };
}
