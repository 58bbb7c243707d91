import { throwBadCursor } from '../../../domain/cursors.ts';
import { idStartBytes } from '../index/entries.ts';

const startDigits = 2 * idStartBytes;
const seqDigits = 14;
const isMark = new RegExp(`^[0-9a-f]{${startDigits + seqDigits}}$`);

/** A mark of `OrderedRows` in SQL: the start of the digest, and the row number. */
export const markColumn = `lower(hex(id_start)) || format('%0${seqDigits}x', seq)`;

/** @throws ServiceError `invalid_request` for any other text. */
export function readMark(mark: string): { readonly start: string; readonly seq: number } {
  if (!isMark.test(mark)) throwBadCursor();
  return { start: mark.slice(0, startDigits), seq: Number.parseInt(mark.slice(startDigits), 16) };
}
