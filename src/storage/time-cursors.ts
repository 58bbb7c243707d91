import { readCursor, refuseCursor, writeCursor } from './cursors.ts';

/** A place in a list that goes by time: no two entries share both. */
export interface TimePlace {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** A UUID. */
  readonly id: string;
}

const hexLength = 32;

export function writeTimeCursor({ at, id }: TimePlace, question: unknown): string {
  return writeCursor(`${at.toString(36)}${id.replaceAll('-', '')}`, question);
}

/** @throws ServiceError `invalid_request`. */
export function readTimeCursor(cursor: string, question: unknown): TimePlace {
  const place = readCursor(cursor, question);
  if (!/^[0-9a-z]{1,8}[0-9a-f]{32}$/.test(place)) refuseCursor();
  const hex = place.slice(-hexLength);
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { at: Number.parseInt(place.slice(0, -hexLength), 36), id };
}
