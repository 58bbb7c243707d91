import { ServiceError } from '../../errors.ts';
import { type Cid, cidUrn, codecs, makeCid } from '../identifiers/cid.ts';
import { hasher, type MultihashName } from '../identifiers/hashing.ts';
import type { BlobStore, StagedBlob } from '../ports.ts';
import { GatheredWrites } from './gathered-writes.ts';

export interface BlobNaming {
  /** Multicodec code of the CID. Default: that of `expected`, or raw binary. */
  readonly codec?: number | undefined;
  /** Default: that of `expected`, or BLAKE3. */
  readonly multihash?: MultihashName | undefined;
  /** Refuse the blob if it has another CID. */
  readonly expected?: Cid | undefined;
}

export interface BlobLimit {
  readonly bytes: number;
  /** The setting that raises the limit, for the error message. Null if there is none. */
  readonly setting: string | null;
  /** The value of the setting, if a part of it is already used. */
  readonly inTotal?: number;
}

/** A complete blob with a known CID. It is invisible before `commit`. */
export interface VerifiedBlob {
  readonly cid: Cid;
  readonly size: number;
  commit(): Promise<'stored' | 'known'>;
  discard(): Promise<void>;
}

type Stage = Pick<BlobStore, 'stage'>;

/**
 * Hashes and stages bytes in one pass.
 * @throws ServiceError `too_large`, `cid_mismatch`, `storage_full`. Nothing stays staged then.
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
    if (naming.expected && naming.expected.text !== cid.text) throwMismatch(naming.expected, cid);
    await staged.finish();
    return { cid, size, commit: () => staged.commit(cid), discard: () => staged.discard() };
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

export async function storeBlob(
  blobs: Stage,
  bytes: AsyncIterable<Uint8Array>,
  naming: BlobNaming,
  limit: BlobLimit,
): Promise<{ cid: Cid; outcome: 'stored' | 'known' }> {
  const blob = await stageBlob(blobs, bytes, naming, limit);
  return { cid: blob.cid, outcome: await blob.commit() };
}

/** Stores bytes under a CID without checking it. */
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
  const writes = new GatheredWrites((gathered) => staged.write(gathered));
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit.bytes) throwTooLarge(limit);
    hash.update(chunk);
    await writes.add(chunk);
  }
  await writes.end();
  return { digest: hash.digest(), size };
}

function multihashFor({ multihash, expected }: BlobNaming): MultihashName {
  return multihash ?? expected?.multihash ?? 'blake3';
}

export function throwTooLarge({ bytes, setting, inTotal = bytes }: BlobLimit): never {
  const advice = setting === null ? '' : ` (${setting} raises it)`;
  throw new ServiceError('too_large', `The limit of ${inTotal} bytes is exceeded${advice}.`);
}

function throwMismatch(expected: Cid, computed: Cid): never {
  throw new ServiceError(
    'cid_mismatch',
    `The bytes are ${cidUrn(computed)}, not the expected ${cidUrn(expected)}. Nothing was stored.`,
  );
}
