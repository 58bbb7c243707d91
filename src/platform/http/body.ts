import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ServiceError } from '../../domain/errors.ts';
import { type BlobLimit, throwTooLarge } from '../../domain/integrity/blobs/upload.ts';
import { Semaphore } from '../../domain/semaphore.ts';
import { yieldToEventLoop } from '../../domain/yield-to-event-loop.ts';
import type { AppEnv } from './app-env.ts';
import { currentCaller } from './callers.ts';

/**
 * Reads a whole body, at most `limit` bytes of it. @throws ServiceError `too_large` as soon as the limit is passed,
 * `truncated_upload` when the connection ends early, `unavailable` when the caller's budget is spent.
 */
export async function readBody<Caller>(
  context: Context<AppEnv<Caller>>,
  limit: BlobLimit,
): Promise<Uint8Array> {
  assertSize(context, limit);
  const length = announcedLength(context);
  const account = context.get('account');
  const isAnnounced = length > smallBody;
  // Before memory is reserved for the body.
  if (isAnnounced) account.take(length);
  const body = isAnnounced ? sharedBytes(length) : undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  let turnAt = partBytes;
  for await (const chunk of bodyStream(context)) {
    if (size + chunk.length > limit.bytes) throwTooLarge(limit);
    if (size >= turnAt) {
      await partTurns.run(() => setTimeout(partMs), currentCaller()?.key);
      turnAt = size + partBytes;
    }
    if (body) {
      body.set(chunk, size);
    } else {
      account.take(chunk.length);
      chunks.push(chunk);
    }
    size += chunk.length;
  }
  return body ?? (size > smallBody ? await joined(chunks, size) : Buffer.concat(chunks));
}

/**
 * Callers take turns to send such parts of large bodies. Otherwise one caller with a quick network could keep the main
 * thread busy with receiving. This is many times faster than bodies can be processed.
 */
const partBytes = 1 << 20;
const partMs = 8;
const partTurns = new Semaphore(1);

/** Larger bodies go to threads. They are in shared memory, and are not copied in one go, which would block the thread. */
const smallBody = 1 << 16;

function sharedBytes(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}

async function joined(chunks: readonly Uint8Array[], size: number): Promise<Uint8Array> {
  const body = sharedBytes(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
    await yieldToEventLoop();
  }
  return body;
}

/** @throws ServiceError `too_large` if the announced length of the body is over the limit. */
export function assertSize(context: Context, limit: BlobLimit): void {
  if (announcedLength(context) > limit.bytes) throwTooLarge(limit);
}

/** NaN if the length is not announced. */
function announcedLength(context: Context): number {
  return Number(context.req.header('content-length') ?? Number.NaN);
}

/** The body as it arrives; empty if there is none. @throws ServiceError `truncated_upload`. */
export async function* bodyStream<Caller>(context: Context<AppEnv<Caller>>): AsyncGenerator<Uint8Array> {
  // Destroying the request would close the connection before the caller gets the answer.
  const incoming = incomingOf(context)?.iterator({ destroyOnReturn: false });
  const body: AsyncIterable<Uint8Array> | null = incoming ?? context.req.raw.body;
  if (!body) return;
  try {
    yield* body;
  } catch (error) {
    throwTruncated(error);
  }
}

/** Node's own stream of the request: the web stream around it copies every chunk. */
function incomingOf<Caller>(context: Context<AppEnv<Caller>>): IncomingMessage | undefined {
  return (context.env as Partial<HttpBindings> | undefined)?.incoming;
}

function throwTruncated(cause: unknown): never {
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
 * @throws ServiceError `unsupported_media_type` unless the body has one of these types (without parameters) and no
 *   Content-Encoding but these. A compressed body would be stored, and identified, in its compressed form.
 */
export function assertContentType(
  context: Context,
  accepted: readonly string[],
  isRequired: boolean,
  encodings: readonly string[] = ['identity'],
): string {
  const encoding = context.req.header('content-encoding') ?? 'identity';
  if (!encodings.includes(encoding.toLowerCase())) {
    throw new ServiceError(
      'unsupported_media_type',
      `Content-Encoding "${encoding.slice(0, 100)}" is not accepted. Send the body uncompressed.`,
    );
  }
  const header = context.req.header('content-type');
  if (header === undefined && !isRequired) return accepted[0] ?? '';
  const essence = header?.split(';')[0]?.trim().toLowerCase();
  const found = accepted.find((type) => type === essence);
  if (found) return found;
  throw new ServiceError(
    'unsupported_media_type',
    `The Content-Type ${header ? `"${header.slice(0, 100)}" is not accepted` : 'is missing'}. Send ${accepted.join(' or ')}.`,
  );
}
