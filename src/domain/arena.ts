const chunkBytes = 1 << 22;
/** Larger than any place within a chunk. */
const chunkPlaces = 2 ** 26;

/** Bytes that are only added, without an object for each of them. */
export class Arena {
  readonly #chunks: Buffer[] = [];
  #used = chunkBytes;

  /** @returns where they begin. */
  add(parts: readonly Uint8Array[]): number {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let chunk = this.#chunks.at(-1);
    if (!chunk || this.#used + length > chunk.length) {
      chunk = Buffer.alloc(Math.max(chunkBytes, length));
      this.#chunks.push(chunk);
      this.#used = 0;
    }
    const begin = (this.#chunks.length - 1) * chunkPlaces + this.#used;
    for (const part of parts) {
      chunk.set(part, this.#used);
      this.#used += part.length;
    }
    return begin;
  }

  at(begin: number, length: number): Buffer {
    const place = begin % chunkPlaces;
    const chunk = this.#chunks[(begin - place) / chunkPlaces];
    if (!chunk) throw new RangeError(`Nothing begins at ${begin}.`);
    return chunk.subarray(place, place + length);
  }
}
