import type { Context } from 'hono';
import parseRange from 'range-parser';
import { ServiceError } from '../domain/errors.ts';
import type { BlobContent, ByteRange } from '../domain/integrity/ports.ts';
import { type Answered, readyAnswer, streamAnswer } from './answering.ts';

/** Bytes that never change under their tag. */
export interface ServedBytes {
  /** A strong entity tag, without quotes. */
  readonly tag: string;
  exists(): Promise<boolean>;
  /** undefined if the bytes do not exist. */
  size(): Promise<number | undefined>;
  open(range: ByteRange | undefined): Promise<BlobContent | undefined>;
  /** @throws ServiceError that says that the bytes do not exist. */
  refuse(): never;
}

/** Answers GET and HEAD, with ranges and conditional requests (RFC 9110, sections 13 and 14). */
export async function byteAnswer(
  context: Context,
  served: ServedBytes,
  more: Readonly<Record<string, string>>,
): Promise<Answered> {
  const etag = `"${served.tag}"`;
  const headers = new Headers({ ...more, etag, 'accept-ranges': 'bytes' });
  if (isNotModified(context, etag)) {
    if (!(await served.exists())) served.refuse();
    return readyAnswer(new Response(null, { status: 304, headers }));
  }
  const range = await rangeOf(context, served, etag);
  const content = await served.open(range);
  if (!content) served.refuse();
  headers.set('content-length', String(range ? range.last - range.first + 1 : content.size));
  if (range) headers.set('content-range', `bytes ${range.first}-${range.last}/${content.size}`);
  return await streamAnswer(context, content.bytes, content, { status: range ? 206 : 200, headers });
}

/** Whether the caller already has the entity with this tag, quotes included (RFC 9110, section 13.1.2). */
export function isNotModified(context: Context, etag: string): boolean {
  const tags = context.req.header('if-none-match')?.split(',') ?? [];
  return tags.some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*');
}

async function rangeOf(context: Context, served: ServedBytes, etag: string): Promise<ByteRange | undefined> {
  const range = context.req.header('range');
  const ifRange = context.req.header('if-range');
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const size = await served.size();
  return size === undefined ? undefined : byteRange(range, size);
}

/**
 * The requested byte range (RFC 9110, section 14.2). Several ranges and other units are answered with the whole, as the
 * standard permits.
 * @throws ServiceError `range_not_satisfiable`.
 */
function byteRange(header: string, size: number): ByteRange | undefined {
  const ranges = parseRange(size, withinWhole(header, size));
  if (ranges === -1) {
    throw new ServiceError(
      'range_not_satisfiable',
      `The range "${header.slice(0, 100)}" lies outside the ${size} bytes.`,
      { headers: { 'content-range': `bytes */${size}` } },
    );
  }
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 || !ranges[0]) return undefined;
  return { first: ranges[0].start, last: ranges[0].end };
}

/** The parser refuses a suffix that is longer than the whole. The standard answers it with the whole. */
function withinWhole(header: string, size: number): string {
  return header.replace(/^(bytes=-)(\d+)$/i, (range, before, length) =>
    Number(length) > size ? `${before}${size}` : range,
  );
}
