import type { Context } from 'hono';
import { type BatchPart, carParts, storeBlobs } from '../../../domain/integrity/blobs/blob-batch.ts';
import type { BlobNaming } from '../../../domain/integrity/blobs/upload.ts';
import type { BlobStore } from '../../../domain/integrity/ports.ts';
import { assertContentType, bodyStream } from '../../../platform/http/body.ts';
import { multipartParts } from '../../../platform/http/multipart.ts';
import type { RequestLimits } from '../../parsed-request.ts';

const multipart = 'multipart/form-data';
const car = 'application/vnd.ipld.car';

/** Stores the parts of a multipart body, or the blocks of a CAR. */
export async function storeBlobBatch(
  context: Context,
  blobs: Pick<BlobStore, 'stage'>,
  naming: BlobNaming,
  { maxBlobBytes, maxBatchBytes, maxBatchParts }: RequestLimits,
): Promise<{ name?: string; cid: string }[]> {
  const type = assertContentType(context, [multipart, car], true);
  const limits = {
    blob: { bytes: maxBlobBytes, setting: 'CAIRN_MAX_BLOB_BYTES' },
    total: { bytes: maxBatchBytes, setting: 'CAIRN_MAX_BATCH_BYTES' },
    parts: maxBatchParts,
  };
  const parts = type === car ? carParts(bodyStream(context), limits) : formParts(context, naming);
  return await storeBlobs(blobs, parts, limits);
}

async function* formParts(context: Context, naming: BlobNaming): AsyncGenerator<BatchPart> {
  const contentType = context.req.header('content-type') ?? '';
  for await (const part of multipartParts(contentType, bodyStream(context))) yield { ...part, naming };
}
