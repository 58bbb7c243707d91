import type { z } from 'zod';
import {
  blobBatch,
  blobExistence,
  blobNaming,
  blobParams,
  blobParts,
  blobQuestion,
  irohCollection,
  missingBlobs,
  putBlobQuery,
  smallBlobQuestion,
  smallBlobs,
  smallLimit,
  storedBlob,
  storedBlobBatch,
} from '../../../contract/integrity/blobs.ts';
import { anyJson, bytes, plainText } from '../../../contract/values.ts';
import { anywhere, callerKey, type Principal } from '../../../domain/access/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import {
  type ContentPorts,
  contentSize,
  hasContent,
  missingBlobsOf,
  openContent,
  smallBlobsOf,
} from '../../../domain/integrity/blobs/content.ts';
import { openText, readIrohCollection } from '../../../domain/integrity/blobs/content-forms.ts';
import { type BlobNaming, storeBlob, storeBytes } from '../../../domain/integrity/blobs/upload.ts';
import { parseCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { NameIndex } from '../../../domain/integrity/names/name-index.ts';
import type { BlobStore, JsonReader } from '../../../domain/integrity/ports.ts';
import type { App } from '../../../platform/http/app.ts';
import { assertContentType, assertSize, bodyStream } from '../../../platform/http/body.ts';
import { streamAnswer } from '../../answering.ts';
import { errorAnswer, jsonAnswer, notModified } from '../../answers.ts';
import { byteAnswer, isNotModified, type ServedBytes } from '../../byte-answer.ts';
import { blobDisposition } from '../../download-name.ts';
import { jsonBody, parsedJsonBody, type RequestLimits } from '../../parsed-request.ts';
import { operation } from '../operation.ts';
import { storeBlobBatch } from './blob-batch.ts';

const tag = 'Blob store';
const byteContent = { 'application/octet-stream': { schema: bytes } };
const writers = anywhere('create_declarations', 'create_comments');
const readers = anywhere('view_project_data');
const unknown = errorAnswer('Nothing is stored under this CID');

/** For 1,000 CIDs in the longest form. */
const questionBytes = 256 << 10;

const contentPolicy = "sandbox; default-src 'none'";

/** Browsers must download content, and never run or render it in the name of this service. */
const cautions = {
  'content-type': 'application/octet-stream',
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, max-age=31536000, immutable',
};

export interface BlobRoutes extends ContentPorts {
  readonly blobs: ContentPorts['blobs'] & Pick<BlobStore, 'readSmall'>;
  /** The blob store for the requests of one caller, as `callerKey` names them. */
  readonly blobsOf: (caller: string) => BlobStore;
  readonly json: JsonReader;
  readonly names: Pick<NameIndex, 'of'>;
  readonly limits: RequestLimits;
}

export function blobRoutes(app: App, ports: BlobRoutes): void {
  const { limits } = ports;
  const blobsOf = (principal: Principal) => ports.blobsOf(callerKey(principal));
  const blobLimit = { bytes: limits.maxBlobBytes, setting: 'CAIRN_MAX_BLOB_BYTES' };

  operation(app, 'PUT /store/v1/blob', {
    access: writers,
    audit: 'queued',
    tag,
    summary: 'Store a blob',
    query: putBlobQuery,
    body: byteContent,
    answers: { 200: jsonAnswer('The bytes are stored', storedBlob) },
    handle: async ({ context, answer, principal, query }) => {
      assertContentType(context, ['application/octet-stream'], false);
      assertSize(context, blobLimit);
      const wanted = { ...namingOf(query), expected: query.expected_cid };
      const { cid } = await storeBlob(blobsOf(principal), bodyStream(context), wanted, blobLimit);
      return answer(200, { cid: cid.text });
    },
  });

  operation(app, 'PUT /store/v1/blob/batch', {
    access: writers,
    audit: 'queued',
    tag,
    summary: 'Store several blobs, all or none',
    description:
      'multipart/form-data: one blob per part, and every part needs a name. A result has the file name of its part, or else the name of its field. application/vnd.ipld.car: every block, under its CID in the CAR, which is verified. application/json: bytes in base64, within the limit of JSON bodies.',
    query: blobNaming,
    body: {
      'multipart/form-data': { schema: blobParts },
      'application/vnd.ipld.car': { schema: bytes },
      'application/json': { schema: blobBatch },
    },
    answers: { 200: jsonAnswer('Stored. Results are in the order of the request', storedBlobBatch) },
    handle: async ({ context, answer, principal, query }) => {
      const batch = { blobs: blobsOf(principal), json: ports.json, naming: namingOf(query), limits };
      const results = await storeBlobBatch(context, batch);
      return answer(200, { results });
    },
  });

  operation(app, 'PUT /store/v1/jcs', {
    access: writers,
    audit: 'queued',
    tag,
    summary: 'Store any JSON in its RFC 8785 form',
    body: { 'application/json': { schema: anyJson } },
    answers: { 200: jsonAnswer('The bytes are stored', storedBlob) },
    handle: async ({ context, answer, principal }) => {
      const { text, cid } = await ports.json.jcs(await jsonBody(context, limits));
      await storeBytes(blobsOf(principal), text, parseCid(cid));
      return answer(200, { cid });
    },
  });

  operation(app, 'GET /store/v1/blob/{cid}', {
    access: readers,
    tag,
    summary: 'Read what a CID names',
    description:
      'A blob, the JCS form of a statement (jcs_cid) or its canonical N-Quads (rdfc_cid). Supports Range, If-None-Match and HEAD. The ETag is the CID. The bytes are compared with the CID while they are sent, except for a range.',
    params: blobParams,
    answers: {
      200: { description: 'The bytes', content: byteContent },
      206: { description: 'The requested range', content: byteContent },
      304: notModified,
      404: unknown,
      416: errorAnswer('The range lies outside the blob'),
    },
    handle: async ({ context, principal, params: { cid } }) => {
      const visibility = await ports.reach.visibility(principal.grants);
      const served: ServedBytes = {
        tag: cid.text,
        exists: () => hasContent(ports, cid, visibility),
        size: () => contentSize(ports, cid, visibility),
        open: (range) => openContent(ports, cid, visibility, range),
        refuse: () => {
          throw new ServiceError('not_found', `Nothing is stored under ${cid.text}.`);
        },
      };
      const named = await blobDisposition(ports.names, context, principal, cid);
      return await byteAnswer(context, served, { ...cautions, 'content-disposition': named });
    },
  });

  operation(app, 'GET /store/v1/exists/{cid}', {
    access: readers,
    tag,
    summary: 'Check whether a CID is stored',
    params: blobParams,
    answers: { 200: jsonAnswer('The answer', blobExistence) },
    handle: async ({ answer, principal: { grants }, params: { cid } }) => {
      const visibility = await ports.reach.visibility(grants);
      return answer(200, { cid: cid.text, exists: await hasContent(ports, cid, visibility) });
    },
  });

  operation(app, 'POST /store/v1/missing', {
    access: readers,
    audit: 'none',
    tag,
    summary: 'Ask which of up to 1,000 blobs are not stored',
    description:
      'For uploads of many files. What the caller may not read counts as missing, so the answer says nothing about it.',
    body: { 'application/json': { schema: blobQuestion } },
    answers: { 200: jsonAnswer('The blobs to send', missingBlobs) },
    handle: async ({ context, answer, principal: { grants } }) => {
      const { cids } = await parsedJsonBody(context, blobQuestion, limits, questionBytes);
      const visibility = await ports.reach.visibility(grants);
      return answer(200, { missing: await missingBlobsOf(ports, cids, visibility) });
    },
  });

  operation(app, 'POST /store/v1/small', {
    access: readers,
    audit: 'none',
    tag,
    summary: 'Read up to 100 small blobs at once',
    description:
      'For readers of many documents. What is not stored, has more than 64 KiB, is damaged, or may not be read by the caller is left out.',
    body: { 'application/json': { schema: smallBlobQuestion } },
    answers: { 200: jsonAnswer('The blobs, each once', smallBlobs) },
    handle: async ({ context, answer, principal: { grants } }) => {
      const { cids } = await parsedJsonBody(context, smallBlobQuestion, limits, questionBytes);
      const visibility = await ports.reach.visibility(grants);
      const found = await smallBlobsOf(ports, cids, visibility, smallLimit);
      const blobs = found.map(({ cid, bytes }) => ({
        cid: cid.text,
        blob: Buffer.from(bytes).toString('base64'),
      }));
      return answer(200, { blobs });
    },
  });

  operation(app, 'GET /store/v1/text/{cid}', {
    access: readers,
    tag,
    summary: 'Read a blob as text',
    params: blobParams,
    answers: {
      200: { description: 'The text', content: { 'text/plain': { schema: plainText } } },
      304: notModified,
      404: unknown,
      422: errorAnswer('The bytes are not UTF-8'),
    },
    handle: async ({ context, answer, principal: { grants }, params: { cid } }) => {
      const visibility = await ports.reach.visibility(grants);
      const text = await openText(ports, cid, visibility, limits.maxJsonBytes);
      const etag = `"${cid.text}"`;
      if (isNotModified(context, etag)) {
        await text[Symbol.asyncDispose]();
        return answer(304, undefined, { etag });
      }
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        'content-length': String(text.size),
        'x-content-type-options': 'nosniff',
        'content-security-policy': contentPolicy,
        etag,
      };
      return await streamAnswer(context, text.bytes, text, { headers });
    },
  });

  operation(app, 'GET /store/v1/iroh-collection/{cid}', {
    access: readers,
    tag,
    summary: 'List an iroh collection',
    params: blobParams,
    answers: {
      200: jsonAnswer('The CID of each file, by name', irohCollection),
      404: errorAnswer('The collection, or its metadata blob, is not stored'),
      422: errorAnswer('The bytes are not an iroh collection'),
    },
    handle: async ({ answer, principal: { grants }, params: { cid } }) => {
      const visibility = await ports.reach.visibility(grants);
      return answer(200, await readIrohCollection(ports, cid, visibility, limits.maxJsonBytes));
    },
  });
}

function namingOf({ multicodec_code: codec, multihash }: z.output<typeof blobNaming>): BlobNaming {
  return { codec, multihash };
}
