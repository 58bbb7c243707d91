import { ServiceError } from '../../errors.ts';
import type { Cid } from '../identifiers/cid.ts';
import { hasher } from '../identifiers/hashing.ts';
import type { BlobContent, BlobStore } from '../ports.ts';
import { contentOf, readAll } from './blobs.ts';

/** Blobs of this size are hashed before their first byte is sent. */
export const smallBytes = 1 << 20;

/**
 * Compares blobs with their names while they are read. A small blob is compared before its first byte. The last chunk of
 * a larger one follows only after all its bytes were compared. Ranges are not compared.
 */
export function verifiedBlobs(blobs: BlobStore): BlobStore {
  return {
    stage: () => blobs.stage(),
    size: (cid) => blobs.size(cid),
    async read(cid, range) {
      const content = await blobs.read(cid, range);
      if (!content || range) return content;
      const bytes = verifiedBytes(cid, content);
      const verified = { size: content.size, bytes, [Symbol.asyncDispose]: () => dispose(bytes, content) };
      if (content.size > smallBytes) return verified;
      return contentOf(await readAll(verified, smallBytes, () => throwDamaged(cid)));
    },
  };
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

async function* verifiedBytes(cid: Cid, { bytes }: BlobContent): AsyncGenerator<Uint8Array, void> {
  try {
    yield* comparedBytes(cid, bytes);
  } catch (error) {
    throw isDamage(error) ? damaged(cid, error) : error;
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

async function dispose(bytes: AsyncGenerator<Uint8Array, void>, content: BlobContent): Promise<void> {
  await bytes.return();
  await content[Symbol.asyncDispose]();
}

function isDamage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'damaged';
}

function damaged(cid: Cid, cause?: unknown): ServiceError {
  return new ServiceError(
    'damaged',
    `The blob ${cid.text} is damaged: its stored bytes do not hash to its name. Storing the right bytes again repairs it. "cairn fsck" shows what else is damaged.`,
    { cause },
  );
}

export function throwDamaged(cid: Cid): never {
  throw damaged(cid);
}
