export interface RefillBucketOptions {
  /** What can be taken at once. */
  readonly burst: number;
  /** So long it takes until one more can be taken. */
  readonly refillMs: number;
}

/** So many at once, then one in each span of time. It is full at first. */
export class TokenBucket {
  readonly #options: RefillBucketOptions;
  #left: number;
  #countedAt = 0;

  constructor(options: RefillBucketOptions) {
    this.#options = options;
    this.#left = options.burst;
  }

  /**
   * Takes one, if there is one.
   * @param now milliseconds since 1970. A clock that was put back begins to count anew from there.
   */
  take(now: number): boolean {
    const { burst, refillMs } = this.#options;
    const passed = Math.max(0, now - this.#countedAt);
    const come = Math.floor(passed / refillMs);
    this.#left = Math.min(burst, this.#left + come);
    const isFull = this.#left === burst;
    this.#countedAt = isFull || now < this.#countedAt ? now : this.#countedAt + come * refillMs;
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }
}
