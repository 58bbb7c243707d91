const rememberedMs = 600_000;
const mostRemembered = 20_000;

/** What was found out lately, and may be wrong by now. */
export class Remembered<Value> {
  readonly #known = new Map<string, Value>();
  #since = 0;

  get(key: string): Value | undefined {
    return this.#known.get(key);
  }

  set(key: string, value: Value): void {
    const now = performance.now();
    if (this.#known.size >= mostRemembered || now - this.#since > rememberedMs) {
      this.#known.clear();
      this.#since = now;
    }
    this.#known.set(key, value);
  }

  delete(key: string): void {
    this.#known.delete(key);
  }
}
