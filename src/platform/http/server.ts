import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { connectionLimit } from './connection-limit.ts';
import { answerEarly } from './early-answer.ts';
import { endWithError, errorBody } from './raw-answer.ts';
import { closeSilentClients } from './silent-clients.ts';
import { sendStreamed } from './streamed-body.ts';

export interface ServerOptions {
  readonly fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
  /** More connections are closed at once. Default: as many as the file descriptors allow. */
  readonly maxConnections?: number | null;
  /** The setting that has the port, for error messages. Default: CAIRN_PORT. */
  readonly portSetting?: string;
}

export interface RunningServer {
  /** `http://host:port`, with the actual port. */
  readonly url: string;
  /**
   * Goes on for `delayMs`, but asks clients to close their connections. Then stops accepting connections, waits at most
   * `graceMs` for running requests, and closes the rest.
   */
  stop(graceMs: number, delayMs?: number): Promise<void>;
}

/** An upload of any size is one request, so only its rate is limited. */
const noRequestTimeout = 0;
const idleCheckMs = 20;
/** A token that names 250 projects has about 13 KiB, one with their permissions more. */
const headerBytes = 64 << 10;

/** @throws ServiceError `unavailable` when the server cannot listen on the address. */
export async function listen({
  fetch,
  host,
  port,
  maxConnections,
  portSetting = 'CAIRN_PORT',
}: ServerOptions): Promise<RunningServer> {
  const hostname = host.includes(':') ? `[${host}]` : host;
  const answer = getRequestListener(
    async (request, bindings) => {
      const response = await answerEarly(bindings as HttpBindings, await fetch(request, bindings));
      return sendStreamed(bindings as HttpBindings, response);
    },
    { hostname, overrideGlobalObjects: false, autoCleanupIncoming: false, errorHandler },
  );
  let isStopping = false;
  const server = createServer(
    { requireHostHeader: false, maxHeaderSize: headerBytes },
    (request, response) => {
      if (isStopping) response.shouldKeepAlive = false;
      const problem = hostProblem(request);
      if (problem === undefined) return void answer(request, response);
      const body = malformedBody(problem);
      const framing = { 'content-length': Buffer.byteLength(body), connection: 'close' };
      response.writeHead(400, { 'content-type': 'application/json', ...framing }).end(body);
    },
  );
  const stopServer = async (graceMs: number, delayMs = 0) => {
    isStopping = true;
    await delay(delayMs);
    await stop(server, graceMs);
  };
  server.maxConnections = maxConnections ?? connectionLimit();
  server.requestTimeout = noRequestTimeout;
  closeSilentClients(server);
  server.on('clientError', answerMalformed);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const message = listenError(cause as NodeJS.ErrnoException, host, port, portSetting);
    throw new ServiceError('unavailable', message, { cause });
  }
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, stop: stopServer };
}

/** RFC 9112, section 3.2. HTTP/1.0 clients, such as probes of load balancers, send no Host. */
function hostProblem({ headersDistinct: { host = [] }, httpVersion }: IncomingMessage): string | undefined {
  if (host.length > 1) return 'Several Host headers';
  return host.length === 0 && httpVersion !== '1.0' ? 'Missing Host header' : undefined;
}

/** Answers requests without a valid URL, and errors that no route has caught. */
function errorHandler(error: unknown): Response {
  if (!(error instanceof RequestError)) return new Response(null, { status: 500 });
  return new Response(malformedBody(error.message), {
    status: 400,
    headers: { 'content-type': 'application/json' },
  });
}

function malformedBody(reason: string): string {
  return errorBody('invalid_request', malformedReason(reason));
}

function malformedReason(reason: string): string {
  return `This is not a valid HTTP request: ${reason}.`;
}

/** A malformed request never reaches a route, but gets an answer of the same form. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  if (error.code === 'HPE_HEADER_OVERFLOW')
    endWithError(socket, 'too_large', `The path and headers are larger than ${headerBytes >> 10} KiB.`, 431);
  else endWithError(socket, 'invalid_request', malformedReason(error.message));
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number, setting: string): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${port} of ${host} is used by another program. Stop that program, or set ${setting} to a free port (0 picks one).`;
  }
  if (error.code === 'EACCES')
    return `This user may not listen on port ${port}. Set ${setting} to a port above 1023.`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return `This machine does not have the address ${host}. Set CAIRN_HOST to an address of this machine.`;
  }
  return `Cannot listen on ${host}, port ${port}: ${messageOf(error)}`;
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node has no event for a kept-alive connection that becomes idle.
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}
