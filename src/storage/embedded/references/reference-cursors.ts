import { readCursor, refuseCursor, writeCursor } from '../../cursors.ts';

/**
 * Where a page of references ended: at a `seq` of a group, whose role and kind are numbers in `names`. It says all that
 * is needed to go on, as a group is gone when trusted rows have replaced all of its untrusted ones.
 */
export interface ReferencePosition {
  readonly trusted: 0 | 1;
  readonly role: number;
  readonly kind: number;
  readonly seq: number;
}

export function writeReferenceCursor(
  { trusted, role, kind, seq }: ReferencePosition,
  question: unknown,
): string {
  return writeCursor([trusted, role, kind, seq].map((part) => part.toString(36)).join('-'), question);
}

/** @throws ServiceError `invalid_request`. */
export function readReferenceCursor(cursor: string, question: unknown): ReferencePosition {
  const parts = /^([01])-([0-9a-z]{1,10})-([0-9a-z]{1,10})-([0-9a-z]{1,10})$/.exec(
    readCursor(cursor, question),
  );
  if (!parts) return refuseCursor();
  const [trusted = 0, role = 0, kind = 0, seq = 0] = parts.slice(1).map((part) => Number.parseInt(part, 36));
  return { trusted: trusted === 0 ? 0 : 1, role, kind, seq };
}
