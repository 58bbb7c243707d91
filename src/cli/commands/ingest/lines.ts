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
  /** Number of lines before the offset. */
  readonly lines: number;
}

const lineFeed = 0x0a;

/** Splits bytes into lines. Holds at most one chunk and one line of `limit` bytes in memory. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  from: Position,
  limit: number,
): AsyncGenerator<Line> {
  const open = new OpenLine(limit);
  let { offset, lines } = from;
  const close = (): Line => {
    lines += 1;
    return { number: lines, end: offset, bytes: open.take() };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, start)) {
      open.add(chunk.subarray(start, at));
      offset += at + 1 - start;
      start = at + 1;
      yield close();
    }
    open.add(chunk.subarray(start));
    offset += chunk.length - start;
  }
  if (open.size > 0) yield close();
}

class OpenLine {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: Uint8Array): void {
    this.size += piece.length;
    if (this.size > this.#limit) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  take(): Uint8Array | undefined {
    const [first] = this.#pieces;
    const whole = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    const bytes = this.size > this.#limit ? undefined : whole;
    this.#pieces = [];
    this.size = 0;
    return bytes;
  }
}
