import { ServiceError } from '../../errors.ts';
import { type CarBlock, carBlocks } from '../car/car.ts';
import type { BlobStore, WriteLimit } from '../ports.ts';
import { type BlobLimit, type BlobNaming, refuseSize, stageBlob, type VerifiedBlob } from './blobs.ts';

export interface BatchLimits {
  readonly blob: BlobLimit;
  /** Bytes of all blobs together. */
  readonly total: BlobLimit;
  readonly parts: number;
}

/** One of several blobs: how it is to be named, and its bytes, which arrive after those of the one before. */
export interface BatchPart {
  readonly name?: string;
  readonly naming: BlobNaming;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface BatchWriting {
  /** Without a limit of its own: the batch as a whole holds one permit. */
  readonly unlimitedBlobs: Pick<BlobStore, 'stage'>;
  readonly writes: WriteLimit;
}

/**
 * Stores blobs that arrive one after the other: all of them, or none when one is refused.
 * @throws ServiceError `too_large`, `cid_mismatch`, `storage_full`, and what `parts` throws.
 */
export async function storeBlobs(
  { unlimitedBlobs, writes }: BatchWriting,
  parts: AsyncIterable<BatchPart>,
  limits: BatchLimits,
): Promise<{ name?: string; cid: string }[]> {
  return await writes.run(async () => {
    const staged: { name?: string; blob: VerifiedBlob }[] = [];
    let total = 0;
    try {
      for await (const { name, naming, bytes } of parts) {
        if (staged.length >= limits.parts) refuseCount(limits.parts);
        const blob = await stageBlob(unlimitedBlobs, bytes, naming, smaller(limits, total));
        staged.push({ ...(name !== undefined && { name }), blob });
        total += blob.size;
      }
      for (const { blob } of staged) await blob.commit();
      return staged.map(({ name, blob }) => ({ ...(name !== undefined && { name }), cid: blob.cid.text }));
    } catch (error) {
      for (const { blob } of staged) await blob.discard();
      throw error;
    }
  });
}

/** Every block of a CAR, to be stored under the CID that the CAR gives it. */
export async function* carParts(
  bytes: AsyncIterable<Uint8Array>,
  limits: BatchLimits,
): AsyncGenerator<BatchPart> {
  for await (const block of carBlocks(bytes)) {
    if (block.size > limits.blob.bytes) refuseSize(limits.blob);
    yield carPart(block);
  }
}

function carPart({ cid, bytes }: CarBlock): BatchPart {
  return { naming: { expected: cid }, bytes };
}

function smaller({ blob, total }: BatchLimits, used: number): BlobLimit {
  const left = total.bytes - used;
  return left < blob.bytes ? { ...total, bytes: left, inTotal: total.bytes } : blob;
}

function refuseCount(parts: number): never {
  throw new ServiceError(
    'too_large',
    `More than ${parts} blobs are not accepted in a batch (CAIRN_MAX_BATCH_PARTS raises the limit).`,
  );
}
