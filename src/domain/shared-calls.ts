/** Runs calls with the same key one after another. All that arrive while one runs share the next. */
export class SharedCalls<Result> {
  readonly #running = new Map<string, Promise<Result>>();
  /** The calls that have not begun. */
  readonly #next = new Map<string, Promise<Result>>();

  async run(key: string, work: () => Promise<Result>): Promise<Result> {
    const next = this.#next.get(key);
    if (next) return await next;
    const running = this.#running.get(key);
    if (!running) return await this.#begin(key, work);
    const shared = running
      .catch(() => undefined)
      .then(() => {
        this.#next.delete(key);
        return this.#begin(key, work);
      });
    this.#next.set(key, shared);
    return await shared;
  }

  async #begin(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = work();
    this.#running.set(key, running);
    try {
      return await running;
    } finally {
      this.#running.delete(key);
    }
  }
}
