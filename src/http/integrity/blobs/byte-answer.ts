import type { Context } from 'hono';
import type { BlobContent, ByteRange } from '../../../domain/integrity/ports.ts';
import { byteRange } from './byte-range.ts';
import { isNotModified } from './not-modified.ts';
import { streamBody } from './stream-answer.ts';

/** Bytes that never change under their tag. */
export interface ServedBytes {
  /** A strong entity tag, without quotes. */
  readonly tag: string;
  exists(): Promise<boolean>;
  /** undefined when they are not there. */
  size(): Promise<number | undefined>;
  open(range: ByteRange | undefined): Promise<BlobContent | undefined>;
  /** Says that they are not there. */
  refuse(): never;
}

/** GET and HEAD of bytes, with ranges and conditional requests (RFC 9110, 13 and 14). */
export async function byteAnswer(
  context: Context,
  served: ServedBytes,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const etag = `"${served.tag}"`;
  const headers = new Headers({ ...more, etag, 'accept-ranges': 'bytes' });
  if (isNotModified(context, etag)) {
    if (!(await served.exists())) served.refuse();
    return new Response(null, { status: 304, headers });
  }
  const range = await rangeOf(context, served, etag);
  const content = await served.open(range);
  if (!content) served.refuse();
  headers.set('content-length', String(range ? range.last - range.first + 1 : content.size));
  if (range) headers.set('content-range', `bytes ${range.first}-${range.last}/${content.size}`);
  const status = range ? 206 : 200;
  if (context.req.method !== 'HEAD')
    return new Response(streamBody(content.bytes, content), { status, headers });
  await content[Symbol.asyncDispose]();
  return new Response(null, { status, headers });
}

async function rangeOf(context: Context, served: ServedBytes, etag: string): Promise<ByteRange | undefined> {
  const range = context.req.header('range');
  const ifRange = context.req.header('if-range');
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const size = await served.size();
  return size === undefined ? undefined : byteRange(range, size);
}
