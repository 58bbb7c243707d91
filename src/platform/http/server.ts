import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { errorStatus } from '../../contract/errors.ts';
import { type ErrorCode, messageOf, ServiceError } from '../../domain/errors.ts';
import { answerEarly, sendStreamed } from './sending.ts';

export interface ServerOptions {
  readonly fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
  /** More connections are closed at once. Default: as many as the file descriptors allow. */
  readonly maxConnections?: number | null;
  /** The setting that has the port, for error messages. Default: CAIRN_PORT. */
  readonly portSetting?: string;
  /** Default: plain HTTP. */
  readonly tls?: TlsIdentity;
}

/** A certificate chain and its private key, in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

export interface RunningServer {
  /** `http://host:port`, or https, with the actual port. */
  readonly url: string;
  /**
   * Goes on for `delayMs`, but asks clients to close their connections. Then stops accepting connections, waits at most
   * `graceMs` for running requests, and closes the rest.
   */
  stop(graceMs: number, delayMs?: number): Promise<void>;
  /** New connections get another certificate. @throws Error of OpenSSL, and then the old one stays. */
  renew(tls: TlsIdentity): void;
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
  tls,
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
  const options = { requireHostHeader: false, maxHeaderSize: headerBytes };
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (isStopping) response.shouldKeepAlive = false;
    const problem = hostProblem(request);
    if (problem === undefined) return void answer(request, response);
    const body = malformedBody(problem);
    const framing = { 'content-length': Buffer.byteLength(body), connection: 'close' };
    response.writeHead(400, { 'content-type': 'application/json', ...framing }).end(body);
  };
  const secure = tls && createTlsServer({ ...options, ...tls }, handle);
  const server: Server | TlsServer = secure ?? createServer(options, handle);
  const stopServer = async (graceMs: number, delayMs = 0) => {
    isStopping = true;
    await delay(delayMs);
    await stop(server, graceMs);
  };
  server.maxConnections = maxConnections ?? connectionLimit();
  server.requestTimeout = noRequestTimeout;
  closeSilentClients(server, secure ? 'secureConnection' : 'connection');
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
  const url = `${secure ? 'https' : 'http'}://${name}:${address.port}`;
  return { url, stop: stopServer, renew: (identity) => secure?.setSecureContext({ ...identity }) };
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

async function stop(server: Server | TlsServer, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node has no event for a kept-alive connection that becomes idle.
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
}

/** How long a client may neither send nor take a byte, and over which time uploads are measured. */
const windowMs = 30_000;
const leastRate = 1_024;

interface Connection {
  exchange?: { readonly request: IncomingMessage; readonly response: ServerResponse };
  /** The upload at the last check, and the bytes of the connection until then. */
  checked?: { readonly request: IncomingMessage; readonly bytes: number };
}

/**
 * Closes connections of clients that neither send their request nor take their answer, and uploads below the least
 * rate. A client that waits for the service is not silent.
 */
function closeSilentClients(server: Server | TlsServer, connected: 'connection' | 'secureConnection'): void {
  const connections = new Map<Socket, Connection>();
  server.on(connected, (socket: Socket) => {
    connections.set(socket, {});
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) => {
    const connection = connections.get(request.socket);
    if (connection) connection.exchange = { request, response };
  });
  server.setTimeout(windowMs);
  server.on('timeout', (socket) => {
    const { exchange } = connections.get(socket) ?? {};
    if (exchange && isUploading(exchange.request)) endSlowUpload(socket, exchange.response);
    else if (exchange && isWaiting(exchange.request, exchange.response)) socket.setTimeout(windowMs);
    else socket.destroy();
  });
  const timer = setInterval(() => {
    for (const [socket, connection] of connections) checkRate(socket, connection);
  }, windowMs).unref();
  server.on('close', () => clearInterval(timer));
}

/** Whether the service waits for more of the body. */
function isUploading({ complete, readableLength, destroyed }: IncomingMessage): boolean {
  return !complete && !destroyed && readableLength === 0;
}

/** Whether the client waits for the service to read the body, or to write the answer. */
function isWaiting(request: IncomingMessage, response: ServerResponse): boolean {
  return !response.writableEnded && response.writableLength === 0 && !isUploading(request);
}

function checkRate(socket: Socket, connection: Connection): void {
  const { exchange, checked } = connection;
  if (!exchange || !isUploading(exchange.request)) return void delete connection.checked;
  const { request, response } = exchange;
  const bytes = socket.bytesRead;
  const isSlow = checked?.request === request && bytes - checked.bytes < (leastRate * windowMs) / 1_000;
  if (isSlow) endSlowUpload(socket, response);
  else connection.checked = { request, bytes };
}

function endSlowUpload(socket: Socket, { headersSent }: ServerResponse): void {
  const error = `The body arrived with less than ${leastRate} bytes a second over ${windowMs / 1_000} seconds. Send it faster, or in smaller parts.`;
  if (!headersSent) endWithError(socket, 'too_slow', error);
  socket.destroySoon();
}

const reserved = 64;
const enough = 10_000;

/**
 * How many connections the file descriptors of this process allow, besides the files of its store. An upload needs one
 * descriptor for its connection and one for its file.
 */
function connectionLimit(): number {
  const descriptors = descriptorLimit();
  return Math.min(Math.max(Math.floor((descriptors - reserved) / 2), 1), enough);
}

function descriptorLimit(): number {
  const report = process.report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } };
  };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

/** The body of an error that no route answers. */
function errorBody(code: ErrorCode, error: string): string {
  return JSON.stringify({ error, code, request_id: randomUUID() });
}

/** Answers outside of any route, and closes the connection. */
function endWithError(socket: Duplex, code: ErrorCode, error: string, status: number = errorStatus[code]) {
  const body = errorBody(code, error);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
}
