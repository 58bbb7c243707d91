import type { ServerResponse } from 'node:http';
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
