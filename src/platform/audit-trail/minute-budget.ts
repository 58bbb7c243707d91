const minuteMs = 60_000;

/** Allows a number of events in each minute and counts the others. */
export class MinuteBudget {
  readonly #max: number;
  #minute = 0;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * @param now milliseconds since 1970.
   * @returns `missed`: how many events of the last minute were beyond the budget, in the first call of a minute.
   */
  take(now: number): { readonly isWithin: boolean; readonly missed: number } {
    const minute = Math.floor(now / minuteMs);
    const missed = minute === this.#minute ? 0 : Math.max(0, this.#taken - this.#max);
    if (minute !== this.#minute) this.#taken = 0;
    this.#minute = minute;
    this.#taken += 1;
    return { isWithin: this.#taken <= this.#max, missed };
  }
}
