import { messageOf } from '../../../domain/errors.ts';
import type { Line, Position } from './lines.ts';

export interface StatementLine {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** A line that is not stored, and why. */
export interface Refusal {
  readonly line: number;
  readonly code: string;
  readonly pointer?: string;
  readonly reason: string;
}

/** Lines that follow each other: those to send, and those that cannot even be sent. */
export interface Batch {
  readonly statements: readonly StatementLine[];
  readonly refused: readonly Refusal[];
  /** Where the next batch begins. */
  readonly end: Position;
}

/** Bytes of one line; a request with it stays well below what the service accepts by default. */
export const lineLimit = 16 << 20;
const batchBytes = 8 << 20;

/** Gathers lines into batches of at most `size` statements and about 8 MiB. Blank lines are nothing. */
export async function* batchesOf(
  lines: AsyncIterable<Line>,
  size: number,
  from: Position,
): AsyncGenerator<Batch> {
  let statements: StatementLine[] = [];
  let refused: Refusal[] = [];
  let bytes = 0;
  let end = from;
  const take = (): Batch => {
    const batch = { statements, refused, end };
    statements = [];
    refused = [];
    bytes = 0;
    return batch;
  };
  for await (const line of lines) {
    const length = line.bytes?.length ?? 0;
    if (statements.length > 0 && bytes + length > batchBytes) yield take();
    const read = readLine(line);
    if (read && 'reason' in read) refused.push(read);
    else if (read) statements.push(read);
    bytes += length;
    end = { offset: line.end, lines: line.number };
    if (statements.length + refused.length >= size) yield take();
  }
  if (end.offset > from.offset) yield take();
}

const byteOrderMark = '\ufeff';

/**
 * A line as it can stand in a request beside others; undefined when it is blank. It has to be JSON, because one
 * that is not could change where its neighbours begin. Everything else is for the service to judge.
 */
function readLine({ number, bytes }: Line): StatementLine | Refusal | undefined {
  if (!bytes)
    return { line: number, code: 'too_large', reason: `The line has more than ${lineLimit} bytes.` };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { line: number, code: 'invalid_json', reason: 'The line is not valid UTF-8.' };
  }
  const hasMark = number === 1 && text.startsWith(byteOrderMark);
  const json = hasMark ? text.slice(1) : text;
  if (json.trim() === '') return undefined;
  try {
    JSON.parse(json);
  } catch (error) {
    const problem = messageOf(error).replace(/ \(line 1 column \d+\)$/, '');
    return { line: number, code: 'invalid_json', reason: `The line is not valid JSON: ${problem}.` };
  }
  return { number, bytes: hasMark ? bytes.subarray(Buffer.byteLength(byteOrderMark)) : bytes };
}
