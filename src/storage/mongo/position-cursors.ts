import { cursorPlace, readCursor, refuseCursor, writeCursor } from '../cursors.ts';
import { positionBytes } from './positions.ts';

/** Cursors whose place is a position. */
export function writePositionCursor(position: Uint8Array, question: unknown): string {
  return writeCursor(Buffer.from(position).toString('base64url'), question);
}

/** The position that a cursor carries; its checksum is the caller's to compare. */
export function cursorPosition(cursor: string): Uint8Array {
  return positionOf(cursorPlace(cursor));
}

/** @throws ServiceError `invalid_request`. */
export function readPositionCursor(cursor: string, question: unknown): Uint8Array {
  return positionOf(readCursor(cursor, question));
}

function positionOf(place: string): Uint8Array {
  const position = Buffer.from(place, 'base64url');
  return position.length === positionBytes ? position : refuseCursor();
}
