import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endWithError } from './raw-answer.ts';

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
export function closeSilentClients(server: Server): void {
  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket) => {
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
