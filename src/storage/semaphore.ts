import { ServiceError } from '../domain/errors.ts';
import type { WorkLimit } from '../domain/integrity/ports.ts';

/** While others wait, one caller gets no more permits than the limit divided by this. */
const shares = 4;

/**
 * Admits a limited number of works at once. Callers take turns, and the works of one caller are admitted first come,
 * first served.
 */
export class Semaphore implements WorkLimit {
  #limit: number;
  readonly #waitMs: number;
  #running = 0;
  readonly #held = new Map<string, number>();
  /** The callers in the order of their turns. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** @param waitMs how long to wait for a permit. */
  constructor(limit: number, waitMs: number) {
    this.#limit = limit;
    this.#waitMs = waitMs;
  }

  /** A lower limit applies as soon as enough works have ended. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#admitNext();
  }

  /**
   * @returns a function that returns the permit. More calls do nothing.
   * @throws ServiceError `unavailable` when no permit is free in time.
   */
  async enter(caller = ''): Promise<() => void> {
    if (this.#running < this.#limit) this.#take(caller);
    else await this.#wait(caller);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#leave(caller);
    };
  }

  async run<Result>(work: () => Promise<Result>, caller = ''): Promise<Result> {
    const leave = await this.enter(caller);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when the caller has a permit. */
  #wait(caller: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#remove(caller, admit);
        reject(new ServiceError('unavailable', 'Too much runs at once; try again.', { retryAfter: 1 }));
      }, this.#waitMs);
      const own = this.#waiting.get(caller) ?? new Set();
      this.#waiting.set(caller, own.add(admit));
    });
  }

  #take(caller: string): void {
    this.#running += 1;
    this.#held.set(caller, this.#heldBy(caller) + 1);
  }

  #leave(caller: string): void {
    this.#running -= 1;
    const left = this.#heldBy(caller) - 1;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
    this.#admitNext();
  }

  #admitNext(): void {
    while (this.#running < this.#limit) {
      const caller = this.#nextCaller();
      if (caller === undefined) return;
      const own = this.#waiting.get(caller) ?? new Set();
      const [admit] = own;
      this.#waiting.delete(caller);
      if (own.size > 1) this.#waiting.set(caller, own);
      if (!admit) continue;
      own.delete(admit);
      this.#take(caller);
      admit();
    }
  }

  #nextCaller(): string | undefined {
    const share = Math.max(Math.floor(this.#limit / shares), 1);
    const callers = this.#waiting.keys();
    return callers.find((caller) => this.#heldBy(caller) < share) ?? this.#waiting.keys().next().value;
  }

  #heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0;
  }

  #remove(caller: string, admit: () => void): void {
    const own = this.#waiting.get(caller);
    own?.delete(admit);
    if (own?.size === 0) this.#waiting.delete(caller);
  }
}
