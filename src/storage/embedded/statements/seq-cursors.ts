import { readCursor, refuseCursor, writeCursor } from '../../cursors.ts';

/** Cursors whose place is a `seq`. */
export function writeSeqCursor(seq: number, question: unknown): string {
  return writeCursor(seq.toString(36), question);
}

/** @throws ServiceError `invalid_request`. */
export function readSeqCursor(cursor: string, question: unknown): number {
  return seqOf(readCursor(cursor, question));
}

function seqOf(place: string): number {
  return /^[0-9a-z]{1,10}$/.test(place) ? Number.parseInt(place, 36) : refuseCursor();
}
