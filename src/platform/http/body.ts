import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import { type BlobLimit, refuseSize } from '../../domain/integrity/blobs/blobs.ts';

/**
 * Reads a whole body, at most `limit` bytes of it.
 * @throws ServiceError `too_large` as soon as that shows, `truncated_upload` when the connection ends early.
 */
export async function readBody(context: Context, limit: BlobLimit): Promise<Uint8Array> {
  const length = context.req.header('content-length');
  if (length !== undefined && Number(length) > limit.bytes) refuseSize(limit);
  if (length !== undefined) return new Uint8Array(await context.req.arrayBuffer().catch(refuseTruncated));
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyStream(context)) {
    size += chunk.length;
    if (size > limit.bytes) refuseSize(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The body as it arrives; empty without one. @throws ServiceError `truncated_upload`. */
export async function* bodyStream(context: Context): AsyncGenerator<Uint8Array> {
  const body: AsyncIterable<Uint8Array> | null = incomingOf(context) ?? context.req.raw.body;
  if (!body) return;
  try {
    yield* body;
  } catch (error) {
    refuseTruncated(error);
  }
}

/** Node's own stream of the request: the web stream around it copies every chunk. */
function incomingOf(context: Context): IncomingMessage | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.incoming;
}

function refuseTruncated(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  throw new ServiceError(
    'truncated_upload',
    'The connection ended before the body was complete. Nothing was stored.',
    {
      cause,
    },
  );
}

/**
 * @throws ServiceError `unsupported_media_type` unless the body is one of these types (without parameters), as it
 *   is: a compressed body would be stored, and named, in its compressed form.
 */
export function demandContentType(
  context: Context,
  accepted: readonly string[],
  isRequired: boolean,
): string {
  const encoding = context.req.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new ServiceError(
      'unsupported_media_type',
      `Content-Encoding "${encoding.slice(0, 100)}" is not accepted; send the bytes as they are.`,
    );
  }
  const header = context.req.header('content-type');
  if (header === undefined && !isRequired) return accepted[0] ?? '';
  const essence = header?.split(';')[0]?.trim().toLowerCase();
  const found = accepted.find((type) => type === essence);
  if (found) return found;
  throw new ServiceError(
    'unsupported_media_type',
    `The Content-Type ${header ? `"${header.slice(0, 100)}" is not accepted` : 'is missing'} here; send ${accepted.join(' or ')}.`,
  );
}
