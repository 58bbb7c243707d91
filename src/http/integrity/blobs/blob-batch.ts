import type { Context } from 'hono';
import {
  type BatchLimits,
  type BatchPart,
  type BatchWriting,
  carParts,
  storeBlobs,
} from '../../../domain/integrity/blobs/blob-batch.ts';
import type { BlobNaming } from '../../../domain/integrity/blobs/blobs.ts';
import { bodyStream, demandContentType } from '../../../platform/http/body.ts';
import { multipartParts } from '../../../platform/http/multipart.ts';
import type { RequestLimits } from '../request-limits.ts';

const multipart = 'multipart/form-data';
const car = 'application/vnd.ipld.car';

/** Stores the parts of a multipart body, or the blocks of a CAR. */
export async function storeBlobBatch(
  context: Context,
  ports: BatchWriting,
  naming: BlobNaming,
  requestLimits: RequestLimits,
): Promise<{ name?: string; cid: string }[]> {
  const type = demandContentType(context, [multipart, car], true);
  const limits = batchLimits(requestLimits);
  const parts =
    type === car
      ? carParts(bodyStream(context), limits)
      : namedParts(context.req.header('content-type') ?? '', bodyStream(context), naming);
  return await storeBlobs(ports, parts, limits);
}

async function* namedParts(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  naming: BlobNaming,
): AsyncGenerator<BatchPart> {
  for await (const { name, bytes } of multipartParts(contentType, body)) yield { name, naming, bytes };
}

function batchLimits({ maxBlobBytes, maxBatchBytes, maxBatchParts }: RequestLimits): BatchLimits {
  return {
    blob: { bytes: maxBlobBytes, setting: 'CAIRN_MAX_BLOB_BYTES' },
    total: { bytes: maxBatchBytes, setting: 'CAIRN_MAX_BATCH_BYTES' },
    parts: maxBatchParts,
  };
}
