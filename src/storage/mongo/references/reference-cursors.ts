import { readCursor, refuseCursor, writeCursor } from '../../cursors.ts';
import { positionBytes } from '../positions.ts';
import { entriesOf } from './reference-entries.ts';

/**
 * Where a page of references ended: at a position in the list of an entry. It says all that is needed to go on, as an
 * entry is gone when trusted statements have replaced all of its untrusted ones.
 */
export interface ReferencePosition {
  readonly entry: string;
  readonly position: Uint8Array;
}

/** In base64url. */
const positionLength = Math.ceil((positionBytes * 4) / 3);

/** @param question what was asked; the identifier is a part of it, so that the cursor need not name it. */
export function writeReferenceCursor(
  { entry, position }: ReferencePosition,
  identifier: string,
  question: unknown,
): string {
  const isTrusted = entry.startsWith(entriesOf(identifier, true));
  const rest = entry.slice(entriesOf(identifier, isTrusted).length);
  const place = Buffer.from(`${isTrusted ? '+' : '?'}${rest}`).toString('base64url');
  return writeCursor(Buffer.from(position).toString('base64url') + place, question);
}

/** @throws ServiceError `invalid_request`. */
export function readReferenceCursor(
  cursor: string,
  identifier: string,
  question: unknown,
): ReferencePosition {
  const text = readCursor(cursor, question);
  const position = Buffer.from(text.slice(0, positionLength), 'base64url');
  const place = Buffer.from(text.slice(positionLength), 'base64url').toString();
  if (position.length !== positionBytes || !/^[+?]/.test(place)) return refuseCursor();
  return { entry: entriesOf(identifier, place.startsWith('+')) + place.slice(1), position };
}
