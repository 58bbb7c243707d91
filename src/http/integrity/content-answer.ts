import type { Context } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import type { Cid } from '../../domain/integrity/cid.ts';
import { type ContentPorts, contentSize, hasContent, openContent } from '../../domain/integrity/content.ts';
import type { BlobContent, ByteRange } from '../../domain/integrity/ports.ts';
import { withoutGathering } from '../../platform/young-garbage.ts';
import { byteRange } from './byte-range.ts';

/** Content is somebody else's: it is downloaded, never run or rendered in the name of this service. */
const cautions = {
  'content-disposition': 'attachment',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, max-age=31536000, immutable',
  'accept-ranges': 'bytes',
};

/** GET and HEAD of what a CID names, with ranges and conditional requests (RFC 9110, 13 and 14). */
export async function contentAnswer(context: Context, ports: ContentPorts, cid: Cid): Promise<Response> {
  const etag = `"${cid.text}"`;
  const headers = new Headers({ ...cautions, etag, 'content-type': 'application/octet-stream' });
  if (isNotModified(context, etag)) {
    if (!(await hasContent(ports, cid))) refuseUnknown(cid);
    return new Response(null, { status: 304, headers });
  }
  const range = await rangeOf(context, ports, cid, etag);
  const content = await openContent(ports, cid, range);
  if (!content) refuseUnknown(cid);
  headers.set('content-length', String(range ? range.last - range.first + 1 : content.size));
  if (range) headers.set('content-range', `bytes ${range.first}-${range.last}/${content.size}`);
  const status = range ? 206 : 200;
  if (context.req.method !== 'HEAD') return new Response(bodyOf(content), { status, headers });
  await content[Symbol.asyncDispose]();
  return new Response(null, { status, headers });
}

async function rangeOf(
  context: Context,
  ports: ContentPorts,
  cid: Cid,
  etag: string,
): Promise<ByteRange | undefined> {
  const range = context.req.header('range');
  const ifRange = context.req.header('if-range');
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const size = await contentSize(ports, cid);
  return size === undefined ? undefined : byteRange(range, size);
}

/** A stream that gives back what the content holds when the caller goes away, even before the first byte. */
function bodyOf(content: BlobContent): ReadableStream<Uint8Array> {
  const bytes = withoutGathering(content.bytes);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await bytes.return(undefined);
        await content[Symbol.asyncDispose]();
      },
    },
    { highWaterMark: 0 },
  );
}

export function refuseUnknown(cid: Cid): never {
  throw new ServiceError('not_found', `Nothing is stored under ${cid.text}.`);
}

function isNotModified(context: Context, etag: string): boolean {
  const header = context.req.header('if-none-match');
  return (
    header?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*') ?? false
  );
}
