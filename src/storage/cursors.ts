import { hash } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';

/**
 * A place in a list, and a checksum over it and the question. One that was made up, or that belongs to another
 * question, is told from one that was answered.
 */
export function writeCursor(place: string, question: unknown): string {
  const check = hash('sha256', JSON.stringify([place, question]), 'buffer')
    .toString('base64url')
    .slice(0, 12);
  return `${place}.${check}`;
}

/** The place that a cursor carries. @throws ServiceError `invalid_request`. */
export function readCursor(cursor: string, question: unknown): string {
  const [, place] = /^([\w-]{1,1400})\.[\w-]{12}$/.exec(cursor) ?? [];
  return place !== undefined && writeCursor(place, question) === cursor ? place : refuseCursor();
}

export function refuseCursor(): never {
  throw new ServiceError('invalid_request', 'The cursor is none that this list has answered.');
}
