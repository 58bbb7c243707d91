import { ServiceError } from './errors.ts';
import { blake3Digest } from './integrity/identifiers/hashing.ts';

const checkLength = 12;

/** A position in a list, as JSON, and a checksum over it and the question: other questions have other cursors. */
export function writeCursor(position: unknown, question: unknown): string {
  const text = Buffer.from(JSON.stringify(position)).toString('base64url');
  const digest = blake3Digest(JSON.stringify([text, question]));
  return `${text}.${Buffer.from(digest).toString('base64url').slice(0, checkLength)}`;
}

/** The position that a cursor of this question carries. @throws ServiceError `invalid_request`. */
export function readCursor(cursor: string, question: unknown): unknown {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString());
    if (writeCursor(position, question) === cursor) return position;
  } catch {
    // It is refused below.
  }
  return throwBadCursor();
}

export function throwBadCursor(): never {
  throw new ServiceError('invalid_request', 'This cursor does not belong to this list.');
}
