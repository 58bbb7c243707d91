import { isObject } from '../../../domain/json/is-object.ts';
import { failUsage } from '../../terminal/failure.ts';

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Offset after the line and its line feed. */
  readonly end: number;
  /** Without the line feed; undefined if the line exceeds the limit. */
  readonly bytes: Uint8Array | undefined;
}

export interface Position {
  readonly offset: number;
  readonly lines: number;
}

const lineFeed = 0x0a;

/** Splits bytes into lines. Holds at most one chunk and one line of `limit` bytes in memory. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  from: Position,
  limit: number,
): AsyncGenerator<Line> {
  let { offset, lines } = from;
  let pieces: Uint8Array[] = [];
  let size = 0;
  const add = (piece: Uint8Array) => {
    size += piece.length;
    if (size > limit) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  const close = (): Line => {
    const bytes = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    const line = { number: lines + 1, end: offset, bytes: size > limit ? undefined : bytes };
    lines += 1;
    pieces = [];
    size = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, at));
      offset += at + 1 - start;
      start = at + 1;
      yield close();
    }
    add(chunk.subarray(start));
    offset += chunk.length - start;
  }
  if (size > 0) yield close();
}

const linesTried = 3;

/**
 * Passes the lines on, unless the first ones show that the file does not have one statement per line.
 * @throws Failure (usage).
 */
export async function* statementLines(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  const seen: Line[] = [];
  const texts: string[] = [];
  let isSure = false;
  for await (const line of lines) {
    if (!isSure) {
      seen.push(line);
      const text = Buffer.from(line.bytes ?? []).toString();
      if (text.trim() !== '') texts.push(text.trim());
      isSure = texts.some(isObjectText);
      if (!isSure && texts.length >= linesTried) throwNotLines(texts);
      if (isSure) yield* seen.splice(0);
    } else yield line;
  }
  if (!isSure && texts.length > 1) throwNotLines(texts);
  yield* seen;
}

function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text.replace(/^\ufeff/, '')));
  } catch {
    return false;
  }
}

function throwNotLines([first = '']: readonly string[]): never {
  const advice = first.startsWith('[')
    ? ` This looks like a list. Convert it with: jq -c '.[]' FILE | cairn ingest -`
    : first.startsWith('{')
      ? ' This looks like pretty-printed JSON. Convert it with: jq -c . FILE | cairn ingest -'
      : '';
  failUsage(
    `The input must have one JSON statement per line, and its first lines are not JSON objects.${advice}`,
  );
}
