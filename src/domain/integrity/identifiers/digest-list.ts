const digestLength = 32;
const perChunk = 1_024;

/** Digests in the order in which they came, 32 bytes each: an array of millions of small arrays takes many times that. */
export class DigestList {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  push(digest: Uint8Array): void {
    const at = this.#length % perChunk;
    if (at === 0) this.#chunks.push(new Uint8Array(perChunk * digestLength));
    this.#chunks.at(-1)?.set(digest, at * digestLength);
    this.#length += 1;
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (const [at, chunk] of this.#chunks.entries()) {
      const end = Math.min(perChunk, this.#length - at * perChunk) * digestLength;
      for (let from = 0; from < end; from += digestLength) yield chunk.subarray(from, from + digestLength);
    }
  }
}
