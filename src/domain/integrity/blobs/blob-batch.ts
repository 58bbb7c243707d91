import { ServiceError } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { carBlocks } from '../car/car.ts';
import type { BlobStore } from '../ports.ts';
import { type BlobLimit, type BlobNaming, stageBlob, throwTooLarge, type VerifiedBlob } from './upload.ts';

export interface BatchLimits {
  readonly blob: BlobLimit;
  /** Bytes of all blobs together. */
  readonly total: BlobLimit;
  readonly parts: number;
}

/** One blob of a batch. Its bytes arrive after those of the previous part. */
export interface BatchPart {
  readonly name?: string;
  readonly naming: BlobNaming;
  readonly bytes: AsyncIterable<Uint8Array>;
}

const commitsAtOnce = 64;

/**
 * Stores all blobs of a batch, or none if one is refused.
 * @throws ServiceError `too_large`, `cid_mismatch`, `storage_full`; any error of `parts`.
 */
export async function storeBlobs(
  blobs: Pick<BlobStore, 'stage'>,
  parts: AsyncIterable<BatchPart>,
  limits: BatchLimits,
): Promise<{ name?: string; cid: string }[]> {
  const staged: { name?: string; blob: VerifiedBlob }[] = [];
  let total = 0;
  try {
    for await (const { name, naming, bytes } of parts) {
      if (staged.length >= limits.parts) throwTooMany(limits.parts);
      const blob = await stageBlob(blobs, bytes, naming, smallerLimit(limits, total));
      staged.push({ ...(name !== undefined && { name }), blob });
      total += blob.size;
    }
    await commitAll(staged.map(({ blob }) => blob));
    return staged.map(({ name, blob }) => ({ ...(name !== undefined && { name }), cid: blob.cid.text }));
  } catch (error) {
    for (const { blob } of staged) await blob.discard();
    throw error;
  }
}

/** Commits run together, so that a store can sync many at once. Those that run are waited for before one fails. */
async function commitAll(blobs: readonly VerifiedBlob[]): Promise<void> {
  for await (const _ of mapConcurrent(blobs, commitsAtOnce, (blob) => blob.commit()));
}

/** The blocks of a CAR as parts, each with the CID that the CAR gives it. */
export async function* carParts(
  bytes: AsyncIterable<Uint8Array>,
  limits: BatchLimits,
): AsyncGenerator<BatchPart> {
  for await (const block of carBlocks(bytes)) {
    if (block.size > limits.blob.bytes) throwTooLarge(limits.blob);
    yield { naming: { expected: block.cid }, bytes: block.bytes };
  }
}

function smallerLimit({ blob, total }: BatchLimits, used: number): BlobLimit {
  const left = total.bytes - used;
  return left < blob.bytes ? { ...total, bytes: left, inTotal: total.bytes } : blob;
}

function throwTooMany(parts: number): never {
  const message = `The batch has more than ${parts} blobs. Split it, or raise CAIRN_MAX_BATCH_PARTS.`;
  throw new ServiceError('too_large', message);
}
