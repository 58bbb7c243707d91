/** How many bytes may wait for a write. */
const mostWaiting = 512 << 10;

/** Writes chunks in order, one write at a time. Chunks that arrive during a write are written together. */
export class GatheredWrites {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when more chunks can wait. @throws the error of an earlier write. */
  async add(chunk: Uint8Array): Promise<void> {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (!this.#isWriting || this.#waitingBytes >= mostWaiting) await this.#writeWaiting();
  }

  /** Resolves when all chunks are written. @throws the error of a write. */
  async end(): Promise<void> {
    if (this.#waiting.length > 0) await this.#writeWaiting();
    await this.#written;
  }

  async #writeWaiting(): Promise<void> {
    await this.#written;
    const [first, ...others] = this.#waiting;
    if (!first) return;
    const bytes = others.length > 0 ? Buffer.concat(this.#waiting) : first;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#isWriting = true;
    this.#written = this.#write(bytes).finally(() => {
      this.#isWriting = false;
    });
    // The error is thrown to the next caller.
    this.#written.catch(() => undefined);
  }
}
