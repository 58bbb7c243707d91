import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { recycle } from '../../domain/buffer-pool.ts';

/** The bytes of an answer. They are made while they are sent. */
export interface ByteSource {
  /** The next bytes, or undefined at the end. Their buffer is recycled when they are sent. */
  next(): Promise<Uint8Array | undefined>;
  /** Called once: at the end, after an error, or when the client leaves. */
  close(): Promise<void>;
}

const sources = new WeakMap<ReadableStream, ByteSource>();

/** A body with the bytes of the source. Our server sends them without the web stream, which cannot recycle buffers. */
export function streamedBody(source: ByteSource): ReadableStream<Uint8Array> {
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= source.close());
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await source.next().catch(async (error) => {
          await close();
          throw error;
        });
        if (isCancelled) return;
        if (chunk) return controller.enqueue(chunk);
        await close();
        controller.close();
      },
      async cancel() {
        isCancelled = true;
        await close();
      },
    },
    { highWaterMark: 0 },
  );
  sources.set(body, { next: () => source.next(), close });
  return body;
}

/** Sends an answer whose body is from `streamedBody`. Other answers are sent by the caller. */
export function sendStreamed({ outgoing }: HttpBindings, response: Response): Response {
  const source = response.body && sources.get(response.body);
  if (!source) return response;
  outgoing.setHeaders(response.headers);
  outgoing.writeHead(response.status);
  // The first bytes of an unknown number can take long.
  if (!response.headers.has('content-length')) outgoing.flushHeaders();
  void send(outgoing, source);
  return RESPONSE_ALREADY_SENT;
}

async function send(outgoing: ServerResponse, source: ByteSource): Promise<void> {
  const leave = () => void source.close().catch(() => undefined);
  outgoing.once('close', leave);
  try {
    let sent: Promise<void> | undefined;
    // The next chunk is read while the previous one is sent.
    for (let chunk = await source.next(); chunk; chunk = await source.next()) {
      await sent;
      sent = write(outgoing, chunk);
      sent.catch(() => undefined);
    }
    await sent;
    await source.close();
    outgoing.end();
  } catch {
    outgoing.destroy();
    leave();
  }
}

/** Resolves when the system has taken the bytes. Before that, their buffer must not change. */
async function write(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  if (outgoing.destroyed) throw new Error('The client has left.');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  outgoing.write(chunk, (error) => (error ? reject(error) : resolve()));
  await promise;
  recycle(chunk);
}

/** How much more of the body is read, for clients that take the answer only after they have sent a small body. */
const drainedBytes = 1 << 18;
/** How long the client has to take the answer. */
const lingerMs = 1_000;

/**
 * Answers a request whose body has not arrived whole, and closes the connection without reading the rest of the body. A
 * connection that is closed at once, with unread bytes, is reset, and the client may lose the answer (RFC 9112,
 * section 9.6). Other requests are answered by the caller.
 */
export async function answerEarly(bindings: HttpBindings, response: Response): Promise<Response> {
  const { incoming, outgoing } = bindings;
  // An answer that needed no waiting comes before the parser has seen the body.
  if (!incoming.complete) await setImmediate();
  if (incoming.complete) return response;
  response.headers.set('connection', 'close');
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return response;
  const body = Buffer.from(await response.arrayBuffer());
  response.headers.set('content-length', String(body.length));
  outgoing.setHeaders(response.headers);
  outgoing.writeHead(response.status);
  outgoing.write(body);
  linger(bindings);
  return RESPONSE_ALREADY_SENT;
}

function linger({ incoming, outgoing }: HttpBindings): void {
  let read = 0;
  incoming.on('data', (chunk: Uint8Array) => {
    read += chunk.length;
    if (read > drainedBytes) incoming.pause();
  });
  incoming.on('error', () => undefined);
  const timer = setTimeout(() => outgoing.end(), lingerMs);
  incoming.on('close', () => {
    clearTimeout(timer);
    outgoing.end();
  });
  incoming.resume();
}
