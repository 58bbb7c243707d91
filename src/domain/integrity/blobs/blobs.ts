import { ServiceError } from '../../errors.ts';
import { type Cid, cidUrn, codecs, makeCid } from '../identifiers/cid.ts';
import { hasher, type MultihashName } from '../identifiers/hashing.ts';
import type { BlobContent, BlobStore, StagedBlob } from '../ports.ts';

export interface BlobNaming {
  /** Multicodec code of the name. Default: raw binary, or what `expected` says. */
  readonly codec?: number | undefined;
  /** Default: BLAKE3, or what `expected` says. */
  readonly multihash?: MultihashName | undefined;
  /** Refuse the blob unless this is its CID. */
  readonly expected?: Cid | undefined;
}

export interface BlobLimit {
  readonly bytes: number;
  /** The setting that raises it, for the caller to read. */
  readonly setting: string;
  /** What the setting says, when a part of it is used up already. */
  readonly inTotal?: number;
}

/** A blob whose bytes are complete and whose name is known; nobody sees it before `commit`. */
export interface VerifiedBlob {
  readonly cid: Cid;
  readonly size: number;
  commit(): Promise<'stored' | 'known'>;
  discard(): Promise<void>;
}

type Stage = Pick<BlobStore, 'stage'>;

/**
 * Streams bytes in one pass through their hash into the staging area.
 * @throws ServiceError `too_large`, `cid_mismatch`, `storage_full`; nothing stays staged then.
 */
export async function stageBlob(
  blobs: Stage,
  bytes: AsyncIterable<Uint8Array>,
  naming: BlobNaming,
  limit: BlobLimit,
): Promise<VerifiedBlob> {
  const staged = await blobs.stage();
  try {
    const { digest, size } = await receive(staged, bytes, multihashFor(naming), limit);
    const cid = makeCid(naming.codec ?? naming.expected?.codec ?? codecs.raw, digest, multihashFor(naming));
    if (naming.expected && naming.expected.text !== cid.text) refuseMismatch(naming.expected, cid);
    await staged.finish();
    return { cid, size, commit: () => staged.commit(cid), discard: () => staged.discard() };
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/** `stageBlob`, made readable at once. */
export async function storeBlob(
  blobs: Stage,
  bytes: AsyncIterable<Uint8Array>,
  naming: BlobNaming,
  limit: BlobLimit,
): Promise<{ cid: Cid; outcome: 'stored' | 'known' }> {
  const blob = await stageBlob(blobs, bytes, naming, limit);
  return { cid: blob.cid, outcome: await blob.commit() };
}

/** Stores bytes that are in memory. */
export async function storeBytes(blobs: Stage, bytes: Uint8Array, cid: Cid): Promise<void> {
  const staged = await blobs.stage();
  try {
    await staged.write(bytes);
    await staged.commit(cid);
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

async function receive(
  staged: StagedBlob,
  bytes: AsyncIterable<Uint8Array>,
  multihash: MultihashName,
  limit: BlobLimit,
): Promise<{ digest: Uint8Array; size: number }> {
  const hash = hasher(multihash);
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit.bytes) refuseSize(limit);
    hash.update(chunk);
    await staged.write(chunk);
  }
  return { digest: hash.digest(), size };
}

function multihashFor({ multihash, expected }: BlobNaming): MultihashName {
  return multihash ?? expected?.multihash ?? 'blake3';
}

export function refuseSize({ bytes, setting, inTotal = bytes }: BlobLimit): never {
  throw new ServiceError(
    'too_large',
    `More than ${inTotal} bytes are not accepted here (${setting} raises the limit).`,
  );
}

function refuseMismatch(expected: Cid, computed: Cid): never {
  throw new ServiceError(
    'cid_mismatch',
    `The bytes are ${cidUrn(computed)}, not the expected ${cidUrn(expected)}. Nothing was stored.`,
  );
}

/** A whole blob in memory. @throws ServiceError `unexpected_content` when it has more than `limit` bytes. */
export async function readSmallBlob(
  blobs: Pick<BlobStore, 'read'>,
  cid: Cid,
  limit: number,
): Promise<Uint8Array | undefined> {
  const content = await blobs.read(cid);
  if (!content) return undefined;
  return await readAll(content, limit, (size) => {
    throw new ServiceError('unexpected_content', `${cid.text} has ${size} bytes; ${limit} are read here.`);
  });
}

/** Content in memory. @param refuse what happens beyond `limit` bytes. */
export async function readAll(
  content: BlobContent,
  limit: number,
  refuse: (size: number) => never,
): Promise<Uint8Array> {
  await using open = content;
  if (open.size > limit) refuse(open.size);
  const chunks: Uint8Array[] = [];
  for await (const chunk of open.bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
