const minuteMs = 60_000;

/** So much in each minute, and what came beyond that in the last one. */
export class MinuteBudget {
  readonly #most: number;
  #minute = 0;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @param now milliseconds since 1970. */
  take(now: number): { readonly isWithin: boolean; readonly missed: number } {
    const minute = Math.floor(now / minuteMs);
    const missed = minute === this.#minute ? 0 : Math.max(0, this.#taken - this.#most);
    if (minute !== this.#minute) this.#taken = 0;
    this.#minute = minute;
    this.#taken += 1;
    return { isWithin: this.#taken <= this.#most, missed };
  }
}
