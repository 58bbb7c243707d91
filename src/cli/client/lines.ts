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
