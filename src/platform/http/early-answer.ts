import { setImmediate } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

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
