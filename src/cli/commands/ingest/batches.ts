import { messageOf } from '../../../domain/errors.ts';
import type { Line, Position } from '../../client/lines.ts';

export interface StatementLine {
  /** The line that it belongs to. A line may bring another statement along. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

export interface Refusal {
  readonly line: number;
  readonly code: string;
  readonly pointer?: string;
  readonly reason: string;
}

/** Consecutive lines: statements to send, and lines that cannot be sent. */
export interface Batch {
  readonly statements: readonly StatementLine[];
  readonly refused: readonly Refusal[];
  readonly end: Position;
}

/** Maximum bytes of a line. A request with such a line stays well below the default limit of the service. */
export const lineLimit = 16 << 20;
const batchBytes = 8 << 20;

/** Groups lines into batches of at most `size` statements and about 8 MiB. Skips blank lines. */
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
 * Checks that a line is JSON, because other text could change where its neighbours in the request begin. Everything else
 * is left to the service. Undefined for a blank line.
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
