import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type ErrorCode, messageOf, ServiceError } from '../../domain/errors.ts';

export interface ServerOptions {
  readonly fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
}

export interface RunningServer {
  /** `http://host:port`, with the port that was taken. */
  readonly url: string;
  /** Stops accepting, lets running requests finish for at most `graceMs`, then ends what is left. */
  stop(graceMs: number): Promise<void>;
}

/** A connection on which nothing moves for so long is ended, so that a stalled caller holds nothing for ever. */
const stalledMs = 120_000;
/** Uploads of any size are one request; only their silence is limited. */
const noRequestTimeout = 0;
const idleLookMs = 20;

/** @throws ServiceError `unavailable` when the address cannot be listened on. */
export async function listen({ fetch, host, port }: ServerOptions): Promise<RunningServer> {
  const hostname = host.includes(':') ? `[${host}]` : host;
  const answer = getRequestListener(fetch, { hostname, overrideGlobalObjects: false, errorHandler });
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const problem = hostProblem(request);
    if (problem === undefined) return void answer(request, response);
    const body = malformedBody(problem);
    const framing = { 'content-length': Buffer.byteLength(body), connection: 'close' };
    response.writeHead(400, { 'content-type': 'application/json', ...framing }).end(body);
  });
  server.requestTimeout = noRequestTimeout;
  server.setTimeout(stalledMs);
  endStalled(server);
  server.on('clientError', answerMalformed);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ServiceError('unavailable', listenError(cause as NodeJS.ErrnoException, host, port), { cause });
  }
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, stop: (graceMs) => stop(server, graceMs) };
}

/** Silence is the caller's fault unless a whole request waits for its answer, or for more of it. */
function endStalled(server: Server): void {
  const exchanges = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  server.on('request', (request, response) => exchanges.set(request.socket, { request, response }));
  server.on('timeout', (socket) => {
    const exchange = exchanges.get(socket);
    const isOurTurn =
      exchange?.request.complete &&
      !exchange.response.writableEnded &&
      exchange.response.writableLength === 0;
    if (isOurTurn) socket.setTimeout(stalledMs);
    else socket.destroy();
  });
}

/** RFC 9112, section 3.2. Programs of HTTP/1.0, such as probes of load balancers, name none. */
function hostProblem({ headersDistinct: { host = [] }, httpVersion }: IncomingMessage): string | undefined {
  if (host.length > 1) return 'Several Host headers';
  return host.length === 0 && httpVersion !== '1.0' ? 'Missing Host header' : undefined;
}

/** Of requests that have no address, and of what no route has caught. */
function errorHandler(error: unknown): Response {
  if (!(error instanceof RequestError)) return new Response(null, { status: 500 });
  return new Response(malformedBody(error.message), {
    status: 400,
    headers: { 'content-type': 'application/json' },
  });
}

function malformedBody(reason: string): string {
  return errorBody('invalid_request', `This is no HTTP request: ${reason}.`);
}

function errorBody(code: ErrorCode, error: string): string {
  return JSON.stringify({ error, code, request_id: randomUUID() });
}

/** What is no HTTP request never reaches a route; it gets the same form of answer. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = isLarge
    ? errorBody('too_large', 'The path and headers are larger than 16 KiB.')
    : malformedBody(error.message);
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${port} of ${host} is taken by another program. Stop that one, or set CAIRN_PORT to a free port (0 finds one).`;
  }
  if (error.code === 'EACCES')
    return `Port ${port} may not be used by this user. Set CAIRN_PORT to one above 1023.`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return `This machine has no address ${host}. Set CAIRN_HOST to one that it has.`;
  }
  return `Cannot listen on ${host}, port ${port}: ${messageOf(error)}`;
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that is kept alive becomes idle when its last answer is out, which nothing tells.
  const idle = setInterval(() => server.closeIdleConnections(), idleLookMs);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
