import { z } from 'zod';
import { optionalWholeNumber } from '../parameters.ts';
import { patterns } from '../patterns.ts';
import { bytes, cidParameter, cidText } from '../values.ts';

export const blobParams = z.object({ cid: cidParameter });

export const blobNaming = z.object({
  multicodec_code: optionalWholeNumber({ least: 0, most: Number.MAX_SAFE_INTEGER }).meta({
    format: 'int64',
    description: 'Codec of the CID. Default: 0x55 (85), raw binary. Larger codes than 2^53-1 are refused',
  }),
  multihash: z.enum(['blake3', 'sha2-256']).optional().describe('Hash function of the CID. Default: blake3'),
});

export const putBlobQuery = blobNaming.extend({
  expected_cid: cidParameter.optional().describe('The CID that the bytes must have'),
});

/** The parts of a multipart body, by their names. */
export const blobParts = z.record(z.string(), bytes);

export const batchedBlob = z.object({
  blob: z.string().meta({ description: 'The bytes in base64, with padding', pattern: patterns.base64 }),
  cid: cidParameter.optional().describe('The CID that the bytes must have'),
  multicodec_code: z
    .int()
    .min(0)
    .optional()
    .describe('Codec of the CID. Default: that of the query, or of cid'),
});

export const blobBatch = z.object({ blobs: z.array(batchedBlob) }).meta({ id: 'BlobBatch' });

export const storedBlob = z.object({ cid: cidText }).meta({ id: 'StoredBlob' });

export const storedBlobBatch = z
  .object({ results: z.array(z.object({ name: z.string().optional(), cid: cidText })) })
  .meta({ id: 'StoredBlobBatch' });

export const blobExistence = z.object({ cid: cidText, exists: z.boolean() }).meta({ id: 'Exists' });

export const blobQuestion = z
  .strictObject({ cids: z.array(cidParameter).max(1_000) })
  .meta({ id: 'BlobQuestion' });

export const missingBlobs = z
  .object({ missing: z.array(cidText).describe('In the order of the request, each once') })
  .meta({ id: 'MissingBlobs' });

export const mostSmall = 100;
export const smallLimit = 65_536;

export const smallBlobQuestion = z
  .strictObject({ cids: z.array(cidParameter).max(mostSmall) })
  .meta({ id: 'SmallBlobQuestion' });

export const smallBlobs = z
  .object({ blobs: z.array(z.object({ cid: cidText, blob: z.string().describe('The bytes in base64') })) })
  .meta({ id: 'SmallBlobs' });

export const irohCollection = z.record(z.string(), cidText);
