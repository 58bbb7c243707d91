import { z } from 'zod';
import type { Bucket } from '../../bucket.ts';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { ServiceError } from '../../errors.ts';
import { type Cid, digestHex } from '../identifiers/cid.ts';
import { hasDigest, hasher } from '../identifiers/hashing.ts';
import { namedBlobs } from '../names/named-documents.ts';
import type { NamingPorts } from '../names/naming.ts';
import type { BlobContent, BlobStore, StagedBlob, WorkLimit } from '../ports.ts';
import { blobName } from './blob-names.ts';
import { type HashedBlobsPorts, hashedBlobs, orDiscard } from './hashed-blobs.ts';

/**
 * The blobs of a bucket. A request passes these stages, and what has no limit of its own passes all but the first:
 * - `limitedBlobs` waits for a permit,
 * - `hashedBlobs` keeps the digests of the bytes,
 * - `namedBlobs` indexes the name in a small JSON document,
 * - `sizedBlobs` keeps the sizes of large blobs,
 * - `verifiedBlobs` compares the bytes of the bucket with their multihash.
 */
export function openBlobs(
  bucket: Bucket,
  {
    sizes,
    naming,
    hashing,
  }: {
    readonly sizes: Sizes;
    readonly naming: Omit<NamingPorts, 'blobs'>;
    readonly hashing: HashedBlobsPorts;
  },
): BlobStore {
  return hashedBlobs(namedBlobs(sizedBlobs(verifiedBlobs(bucket), sizes), naming), hashing);
}

/** How many calls of a blob store run at once. */
export interface BlobLimits {
  readonly fetch: WorkLimit;
  readonly write: WorkLimit;
}

/**
 * Each call of the store holds a permit. A silent client holds none.
 * @param caller who shares the permits with others. Default: nobody in particular.
 */
export function limitedBlobs(blobs: BlobStore, { fetch, write }: BlobLimits, caller = ''): BlobStore {
  const fetching = <Result>(work: () => Promise<Result>) => fetch.run(work, caller);
  const writing = <Result>(work: () => Promise<Result>) => write.run(work, caller);
  return {
    ...blobs,
    async stage() {
      const staged = await writing(() => blobs.stage());
      return {
        ...staged,
        write: (chunk) => writing(() => staged.write(chunk)),
        finish: () => writing(() => staged.finish()),
        commit: (cid) => writing(() => staged.commit(cid)),
      };
    },
    async read(cid, range) {
      const content = await fetching(() => blobs.read(cid, range));
      return content && limitedContent(content, fetching);
    },
    putSmall: (small) => writing(() => blobs.putSmall(small)),
  };
}

/** Not a generator, because a generator that was never started does not notice that it is left. */
function limitedContent(content: BlobContent, fetching: WorkLimit['run']): BlobContent {
  const bytes = content.bytes[Symbol.asyncIterator]();
  const dispose = () => content[Symbol.asyncDispose]();
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => fetching(() => bytes.next()),
    async return() {
      await dispose();
      return { done: true, value: undefined };
    },
  };
  return {
    size: content.size,
    bytes: { [Symbol.asyncIterator]: () => iterator },
    [Symbol.asyncDispose]: dispose,
  };
}

/** The sizes of large blobs, so that a truncated one is refused before its first byte. */
export const blobSizes = collection('blob_sizes', {
  shape: z.object({ name: z.string(), size: z.int() }),
  key: 'name',
  isTransient: true,
});

type Sizes = Pick<RecordsOf<typeof blobSizes>, 'get' | 'insert'>;

const sizeName = (cid: Cid) => `${cid.multihash}-${digestHex(cid)}`;

/** Keeps the size of each large blob that is stored. Blobs that were stored before have none. */
function sizedBlobs(blobs: BlobStore, sizes: Sizes): BlobStore {
  return {
    ...blobs,
    stage: async () => withSize(await blobs.stage(), sizes),
    async read(cid, range) {
      const content = await blobs.read(cid, range);
      if (!content || content.size <= smallBytes) return content;
      const known = await sizes.get(sizeName(cid));
      if (!known || known.size === content.size) return content;
      await content[Symbol.asyncDispose]();
      throw damagedBlob(cid);
    },
  };
}

function withSize(staged: StagedBlob, sizes: Sizes): StagedBlob {
  let size = 0;
  return {
    ...staged,
    async write(chunk) {
      await staged.write(chunk);
      size += chunk.length;
    },
    async commit(cid) {
      // A size without its blob is harmless, because it follows from the name.
      if (size > smallBytes) await orDiscard(staged, sizes.insert([{ name: sizeName(cid), size }]));
      return await staged.commit(cid);
    },
  };
}

/** Blobs of this size are hashed before their first byte is sent. */
const smallBytes = 1 << 20;

/**
 * The contents of a bucket, which are compared with their multihash while they are read. A small blob is compared before
 * its first byte. The last chunk of a larger one follows only after all its bytes were compared. Ranges are not compared.
 * A damaged blob is replaced when it is stored again.
 */
export function verifiedBlobs(bucket: Bucket): BlobStore {
  const blobs: BlobStore = {
    async stage() {
      const staged = await bucket.stage();
      return { ...staged, commit: (cid) => staged.commit(blobName(cid), () => isIntact(blobs, cid)) };
    },
    size: (cid) => bucket.size(blobName(cid)),
    async read(cid, range) {
      const content = await bucket.read(blobName(cid), range);
      return content && !range ? await verifiedContent(cid, content) : content;
    },
    async readSmall(cids, limit) {
      const found = await bucket.readSmall(cids.map(blobName), limit);
      return cids.map(({ multihash, digest }, at) => {
        const bytes = found[at];
        return bytes && hasDigest(bytes, multihash, digest) ? bytes : undefined;
      });
    },
    putSmall: (small) => bucket.putSmall(small.map(({ cid, bytes }) => ({ name: blobName(cid), bytes }))),
  };
  return blobs;
}

/** Whether the store has the blob, and its bytes hash to its name. @param blobs verified. */
export async function isIntact(blobs: Pick<BlobStore, 'read'>, cid: Cid): Promise<boolean> {
  try {
    const content = await blobs.read(cid);
    if (!content) return false;
    for await (const _ of content.bytes);
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

async function verifiedContent(cid: Cid, content: BlobContent): Promise<BlobContent> {
  const bytes = verifiedBytes(cid, content.bytes);
  const verified = {
    size: content.size,
    bytes,
    async [Symbol.asyncDispose]() {
      await bytes.return();
      await content[Symbol.asyncDispose]();
    },
  };
  if (content.size > smallBytes) return verified;
  await using _open = verified;
  return contentOf(Buffer.concat(await Array.fromAsync(bytes)));
}

async function* verifiedBytes(cid: Cid, bytes: AsyncIterable<Uint8Array>) {
  try {
    yield* comparedBytes(cid, bytes);
  } catch (error) {
    throw isDamage(error) ? damagedBlob(cid, error) : error;
  }
}

/** The same bytes. The last chunk follows only if they hash to the name. @throws ServiceError `damaged` otherwise. */
export async function* comparedBytes(
  { multihash, digest }: Cid,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const hash = hasher(multihash);
  let last: Uint8Array | undefined;
  for await (const chunk of bytes) {
    hash.update(chunk);
    if (last) yield last;
    last = chunk;
  }
  if (Buffer.compare(hash.digest(), digest) !== 0)
    throw new ServiceError('damaged', 'Its bytes do not hash to its name.');
  if (last) yield last;
}

function isDamage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'damaged';
}

function damagedBlob(cid: Cid, cause?: unknown): ServiceError {
  return new ServiceError(
    'damaged',
    `The blob ${cid.text} is damaged: its stored bytes do not hash to its name. Storing the right bytes again repairs it. "cairn fsck" shows what else is damaged.`,
    { cause },
  );
}

/** Reads a whole blob into memory. @throws ServiceError `unexpected_content` if it has more than `limit` bytes. */
export async function readSmallBlob(
  blobs: Pick<BlobStore, 'read'>,
  cid: Cid,
  limit: number,
): Promise<Uint8Array | undefined> {
  const content = await blobs.read(cid);
  if (!content) return undefined;
  return await readAll(content, limit, (size) => {
    const message = `${cid.text} has ${size} bytes, but at most ${limit} are read.`;
    throw new ServiceError('unexpected_content', message);
  });
}

/** Bytes in memory as content. @param size of the whole blob, if they are a part of it. */
export function contentOf(bytes: Uint8Array, size = bytes.length): BlobContent {
  return {
    size,
    bytes: (async function* () {
      if (bytes.length > 0) yield bytes;
    })(),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Reads content into memory. @param refuse called if it has more than `limit` bytes. */
export async function readAll(
  content: BlobContent,
  limit: number,
  refuse: (size: number) => never,
): Promise<Uint8Array> {
  await using open = content;
  if (open.size > limit) refuse(open.size);
  return Buffer.concat(await Array.fromAsync(open.bytes));
}
