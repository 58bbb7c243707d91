import { readCursor, refuseCursor, writeCursor } from '../cursors.ts';
import { positionBytes } from './positions.ts';

/** Cursors whose place is a position. */
export function writePositionCursor(position: Uint8Array, question: unknown): string {
  return writeCursor(Buffer.from(position).toString('base64url'), question);
}

/** @throws ServiceError `invalid_request`. */
export function readPositionCursor(cursor: string, question: unknown): Uint8Array {
  const position = Buffer.from(readCursor(cursor, question), 'base64url');
  return position.length === positionBytes ? position : refuseCursor();
}
