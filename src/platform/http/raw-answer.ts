import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorStatus } from '../../contract/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';

/** The body of an error that no route answers. */
export function errorBody(code: ErrorCode, error: string): string {
  return JSON.stringify({ error, code, request_id: randomUUID() });
}

/** Answers outside of any route, and closes the connection. */
export function endWithError(
  socket: Duplex,
  code: ErrorCode,
  error: string,
  status: number = errorStatus[code],
): void {
  const body = errorBody(code, error);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
}
