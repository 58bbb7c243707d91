import type { Context } from 'hono';
import { z } from 'zod';
import { batchedBlob, blobBatch } from '../../../contract/integrity/blobs.ts';
import { bytesOfBase64 } from '../../../domain/base64.ts';
import { type BatchPart, carParts, storeBlobs } from '../../../domain/integrity/blobs/blob-batch.ts';
import { contentOf } from '../../../domain/integrity/blobs/blob-store.ts';
import type { BlobNaming } from '../../../domain/integrity/blobs/upload.ts';
import type { BlobStore, JsonReader } from '../../../domain/integrity/ports.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { yieldToEventLoop } from '../../../domain/yield-to-event-loop.ts';
import { assertContentType, bodyStream } from '../../../platform/http/body.ts';
import { multipartParts } from '../../../platform/http/multipart.ts';
import { jsonBody, parsed, type RequestLimits } from '../../parsed-request.ts';

const multipart = 'multipart/form-data';
const car = 'application/vnd.ipld.car';
const json = 'application/json';

/** The body without its blobs. */
const emptyBatch = blobBatch.extend({ blobs: z.array(z.never(), { error: 'must be an array of blobs' }) });

interface BlobBatch {
  readonly blobs: Pick<BlobStore, 'stage'>;
  readonly json: Pick<JsonReader, 'readStatements'>;
  /** Of blobs that do not say more. */
  readonly naming: BlobNaming;
  readonly limits: RequestLimits;
}

/** Stores the parts of a multipart body, the blocks of a CAR, or the blobs in a JSON text. */
export async function storeBlobBatch(
  context: Context,
  batch: BlobBatch,
): Promise<{ name?: string; cid: string }[]> {
  const { maxBlobBytes, maxBatchBytes, maxBatchParts } = batch.limits;
  const type = assertContentType(context, [multipart, car, json], true);
  const limits = {
    blob: { bytes: maxBlobBytes, setting: 'CAIRN_MAX_BLOB_BYTES' },
    total: { bytes: maxBatchBytes, setting: 'CAIRN_MAX_BATCH_BYTES' },
    parts: maxBatchParts,
  };
  return await storeBlobs(batch.blobs, partsOf(), limits);

  function partsOf(): AsyncIterable<BatchPart> {
    if (type === car) return carParts(bodyStream(context), limits);
    return type === json ? jsonParts(context, batch) : formParts(context, batch.naming);
  }
}

async function* formParts(context: Context, naming: BlobNaming): AsyncGenerator<BatchPart> {
  const contentType = context.req.header('content-type') ?? '';
  for await (const part of multipartParts(contentType, bodyStream(context))) yield { ...part, naming };
}

async function* jsonParts(context: Context, { json, limits, naming }: BlobBatch): AsyncGenerator<BatchPart> {
  const { maxJsonDepth: maxDepth, maxBatchParts } = limits;
  const part = {
    member: 'blobs',
    as: 'elements',
    maxElements: maxBatchParts,
    setting: 'CAIRN_MAX_BATCH_PARTS',
  } as const;
  const { body, envelope, ranges } = await json.readStatements(await jsonBody(context, limits), part);
  parsed(emptyBatch, parseStrictJson(envelope, { maxDepth, exactNumbers: false }), 'The body');
  for (let at = 0; at < ranges.length; at += 2) {
    const bytes = body.subarray(ranges[at], ranges[at + 1]);
    const value = parseStrictJson(bytes, { maxDepth, exactNumbers: false });
    const { blob, cid, multicodec_code } = parsed(batchedBlob, value, `blobs[${at / 2}]`);
    const named = { codec: multicodec_code ?? naming.codec, multihash: cid?.multihash ?? naming.multihash };
    yield { naming: { ...named, expected: cid }, bytes: contentOf(bytesOfBase64(blob)).bytes };
    await yieldToEventLoop();
  }
}
