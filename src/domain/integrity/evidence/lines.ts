import { withoutMark } from './file-form.ts';

const newline = 0x0a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const blanks = new Set(Buffer.from(' \t\r'));

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** The lines of a file that are not blank, without what ends them. */
export function* linesOf(bytes: Uint8Array): Generator<Line, void> {
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(newline, start);
    const next = found === -1 ? bytes.length : found;
    const line = trimmed(bytes.subarray(start, next));
    number += 1;
    if (line.length > 0) yield { number, bytes: line };
    start = next + 1;
  }
}

/** Whether a file has JSON lines: its first two lines are objects, as far as their first and last characters tell. */
export function hasJsonLines(bytes: Uint8Array): boolean {
  const end = bytes.indexOf(newline);
  if (end === -1) return false;
  const first = trimmed(withoutMark(bytes.subarray(0, end)));
  if (first[0] !== openBrace || first.at(-1) !== closeBrace) return false;
  const second = bytes.subarray(end).find((byte) => byte !== newline && !blanks.has(byte));
  return second === openBrace;
}

function trimmed(line: Uint8Array): Uint8Array {
  let [start, end] = [0, line.length];
  while (start < end && blanks.has(line[start] as number)) start += 1;
  while (start < end && blanks.has(line[end - 1] as number)) end -= 1;
  return line.subarray(start, end);
}
