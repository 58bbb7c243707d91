import { z } from '@hono/zod-openapi';
import { anywhere } from '../../../domain/access/access.ts';
import type { BatchWriting } from '../../../domain/integrity/blobs/blob-batch.ts';
import { storeBlob, storeBytes } from '../../../domain/integrity/blobs/blobs.ts';
import { type ContentPorts, hasContent } from '../../../domain/integrity/blobs/content.ts';
import { readIrohCollection, readText } from '../../../domain/integrity/blobs/content-forms.ts';
import { jcs } from '../../../domain/integrity/identification/jcs.ts';
import { cidOf, codecs } from '../../../domain/integrity/identifiers/cid.ts';
import type { BlobStore } from '../../../domain/integrity/ports.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { App } from '../../../platform/http/app.ts';
import { bodyStream, demandContentType } from '../../../platform/http/body.ts';
import { errorAnswer } from '../../error-answers.ts';
import { jsonAnswer } from '../../json-answer.ts';
import { jsonBody } from '../../json-request.ts';
import { optionalWholeNumber } from '../../query-parameters.ts';
import { operation } from '../operation.ts';
import type { RequestLimits } from '../request-limits.ts';
import { cidParameter, cidText } from '../schemas.ts';
import { storeBlobBatch } from './blob-batch.ts';
import { contentAnswer } from './content-answer.ts';
import { isNotModified } from './not-modified.ts';

const tag = 'Blob store';
const params = z.object({ cid: cidParameter });
const named = z.object({ cid: cidText }).openapi('StoredBlob');
const bytes = z.string().openapi({ format: 'binary' });

/** How a blob is to be named. */
const naming = z.object({
  multicodec_code: optionalWholeNumber({ least: 0, most: Number.MAX_SAFE_INTEGER }).openapi({
    format: 'int64',
    description: 'Codec of the CID. Default: 0x55 (85), raw binary',
  }),
  multihash: z.enum(['blake3', 'sha2-256']).optional().describe('Hash function of the CID. Default: blake3'),
});

export interface BlobRoutes extends ContentPorts, BatchWriting {
  readonly blobs: BlobStore;
  readonly limits: RequestLimits;
}

export function blobRoutes(app: App, ports: BlobRoutes): void {
  const { blobs, limits } = ports;
  const blobLimit = { bytes: limits.maxBlobBytes, setting: 'CAIRN_MAX_BLOB_BYTES' };

  operation(app, 'PUT /store/v1/blob', {
    access: anywhere('create_declarations', 'create_comments'),
    audit: 'queued',
    tag,
    summary: 'Store a blob',
    query: naming.extend({
      expected_cid: cidParameter.optional().describe('The CID that the bytes must have'),
    }),
    body: { 'application/octet-stream': { schema: bytes } },
    answers: { 200: jsonAnswer('The bytes are stored', named) },
    handle: async ({ context, query }) => {
      demandContentType(context, ['application/octet-stream'], false);
      const wanted = {
        codec: query.multicodec_code,
        multihash: query.multihash,
        expected: query.expected_cid,
      };
      const { cid } = await storeBlob(blobs, bodyStream(context), wanted, blobLimit);
      return context.json({ cid: cid.text });
    },
  });

  operation(app, 'PUT /store/v1/blob/batch', {
    access: anywhere('create_declarations', 'create_comments'),
    audit: 'queued',
    tag,
    summary: 'Store several blobs, all or none',
    description:
      'multipart/form-data: one blob per part, and every part needs a name. application/vnd.ipld.car: every block, under its CID in the CAR, which is verified.',
    query: naming,
    body: {
      'multipart/form-data': { schema: z.record(z.string(), bytes) },
      'application/vnd.ipld.car': { schema: bytes },
    },
    answers: {
      200: jsonAnswer(
        'Stored. Results are in the order of the request',
        z
          .object({ results: z.array(z.object({ name: z.string().optional(), cid: cidText })) })
          .openapi('StoredBlobBatch'),
      ),
    },
    handle: async ({ context, query }) => {
      const wanted = { codec: query.multicodec_code, multihash: query.multihash };
      return context.json({ results: await storeBlobBatch(context, ports, wanted, limits) });
    },
  });

  operation(app, 'PUT /store/v1/jcs', {
    access: anywhere('create_declarations', 'create_comments'),
    audit: 'queued',
    tag,
    summary: 'Store any JSON in its RFC 8785 form',
    body: { 'application/json': { schema: z.unknown() } },
    answers: { 200: jsonAnswer('The bytes are stored', named) },
    handle: async ({ context }) => {
      const value = parseStrictJson(await jsonBody(context, limits), {
        maxDepth: limits.maxJsonDepth,
        exactNumbers: false,
      });
      const text = Buffer.from(jcs(value));
      const cid = cidOf(codecs.jcs, text);
      await storeBytes(blobs, text, cid);
      return context.json({ cid: cid.text });
    },
  });

  operation(app, 'GET /store/v1/blob/{cid}', {
    access: anywhere('view_project_data'),
    tag,
    summary: 'Read what a CID names',
    description:
      'A blob, the JCS form of a statement (jcs_cid) or its canonical N-Quads (rdfc_cid). Supports Range, If-None-Match and HEAD. The ETag is the CID.',
    params,
    answers: {
      200: { description: 'The bytes', content: { 'application/octet-stream': { schema: bytes } } },
      206: {
        description: 'The requested range',
        content: { 'application/octet-stream': { schema: bytes } },
      },
      304: { description: 'The caller already has the current bytes' },
      404: errorAnswer('Nothing is stored under this CID'),
      416: errorAnswer('The range lies outside the blob'),
    },
    handle: async ({ context, principal: { grants }, params: { cid } }) =>
      await contentAnswer(context, ports, cid, await ports.reach.visibility(grants)),
  });

  operation(app, 'GET /store/v1/exists/{cid}', {
    access: anywhere('view_project_data'),
    tag,
    summary: 'Check whether a CID is stored',
    params,
    answers: {
      200: jsonAnswer('The answer', z.object({ cid: cidText, exists: z.boolean() }).openapi('Exists')),
    },
    handle: async ({ context, principal: { grants }, params: { cid } }) => {
      const visibility = await ports.reach.visibility(grants);
      return context.json({ cid: cid.text, exists: await hasContent(ports, cid, visibility) });
    },
  });

  operation(app, 'GET /store/v1/text/{cid}', {
    access: anywhere('view_project_data'),
    tag,
    summary: 'Read a blob as text',
    params,
    answers: {
      200: { description: 'The text', content: { 'text/plain': { schema: z.string() } } },
      304: { description: 'The caller already has the current bytes' },
      404: errorAnswer('Nothing is stored under this CID'),
      422: errorAnswer('The bytes are not UTF-8'),
    },
    handle: async ({ context, principal: { grants }, params: { cid } }) => {
      const visibility = await ports.reach.visibility(grants);
      const text = await readText(ports, cid, visibility, limits.maxJsonBytes);
      const etag = `"${cid.text}"`;
      if (isNotModified(context, etag)) return context.body(null, 304, { etag });
      return context.body(text, 200, {
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        etag,
      });
    },
  });

  operation(app, 'GET /store/v1/iroh-collection/{cid}', {
    access: anywhere('view_project_data'),
    tag,
    summary: 'List an iroh collection',
    params,
    answers: {
      200: jsonAnswer('The CID of each file, by name', z.record(z.string(), cidText)),
      404: errorAnswer('The collection, or its metadata blob, is not stored'),
      422: errorAnswer('The bytes are not an iroh collection'),
    },
    handle: async ({ context, principal: { grants }, params: { cid } }) => {
      const visibility = await ports.reach.visibility(grants);
      return context.json(await readIrohCollection(ports, cid, visibility, limits.maxJsonBytes));
    },
  });
}
