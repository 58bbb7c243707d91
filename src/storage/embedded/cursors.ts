import { hash } from 'node:crypto';
import { ServiceError } from '../../domain/errors.ts';

/**
 * A place in a list: a `seq`, and a checksum over it and the question. One that was made up, or that belongs
 * to another question, is told from one that was answered.
 */
export function writeCursor(seq: number, question: unknown): string {
  const check = hash('sha256', JSON.stringify([seq, question]), 'buffer')
    .toString('base64url')
    .slice(0, 12);
  return `${seq.toString(36)}.${check}`;
}

/** The `seq` that a cursor carries; its checksum is the caller's to compare. */
export function cursorSeq(cursor: string): number {
  if (!/^[0-9a-z]{1,10}\.[\w-]{12}$/.test(cursor)) refuseCursor();
  return Number.parseInt(cursor, 36);
}

/** @throws ServiceError `invalid_request`. */
export function readCursor(cursor: string, question: unknown): number {
  const seq = cursorSeq(cursor);
  if (writeCursor(seq, question) !== cursor) refuseCursor();
  return seq;
}

export function refuseCursor(): never {
  throw new ServiceError('invalid_request', 'The cursor is none that this list has answered.');
}
