import { ServiceError } from './errors.ts';
import type { WorkLimit } from './integrity/ports.ts';

/** While others wait, one caller gets no more permits than the limit divided by this. */
const shares = 4;

export interface SemaphoreOptions {
  /** How long to wait for a permit. Default: as long as it takes. */
  readonly waitMs?: number;
  /** Permits that one caller leaves to others even if nobody waits. Default: none. */
  readonly spare?: number;
}

/** What a limit does now: its permits, the works that hold one, and the works that wait for one. */
export interface Load {
  readonly limit: number;
  readonly running: number;
  readonly waiting: number;
}

/**
 * Admits a limited number of works at once. Callers take turns, and the works of one caller are admitted first come,
 * first served.
 */
export class Semaphore implements WorkLimit {
  #limit: number;
  readonly #waitMs: number | undefined;
  readonly #spare: number;
  #running = 0;
  readonly #held = new Map<string, number>();
  /** The callers in the order of their turns. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(limit: number, { waitMs, spare = 0 }: SemaphoreOptions = {}) {
    this.#limit = limit;
    this.#waitMs = waitMs;
    this.#spare = spare;
  }

  load(): Load {
    const waiting = this.#waiting.values().reduce((sum, { size }) => sum + size, 0);
    return { limit: this.#limit, running: this.#running, waiting };
  }

  /** A lower limit applies as soon as enough works have ended. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#admitNext();
  }

  /**
   * @param patience ends the wait with its reason.
   * @returns a function that returns the permit. More calls do nothing.
   * @throws ServiceError `unavailable` when no permit is free in time; the reason of `patience`.
   */
  async enter(caller = '', patience?: AbortSignal): Promise<() => void> {
    patience?.throwIfAborted();
    if (this.#running < this.#limit && this.#heldBy(caller) < this.#mostOf(1)) this.#take(caller);
    else await this.#wait(caller, patience);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#leave(caller);
    };
  }

  async run<Result>(work: () => Promise<Result>, caller = '', patience?: AbortSignal): Promise<Result> {
    const leave = await this.enter(caller, patience);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when the caller has a permit. */
  async #wait(caller: string, patience?: AbortSignal): Promise<void> {
    const { promise, resolve: admit, reject } = Promise.withResolvers<void>();
    const own = this.#waiting.get(caller) ?? new Set();
    this.#waiting.set(caller, own.add(admit));
    const giveUp = (reason: unknown) => {
      this.#remove(caller, admit);
      reject(reason);
    };
    const leave = () => giveUp(patience?.reason);
    patience?.addEventListener('abort', leave, { once: true });
    const timer = this.#waitMs === undefined ? undefined : setTimeout(() => giveUp(tooMuch()), this.#waitMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      patience?.removeEventListener('abort', leave);
    }
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
    const withLessThan = (most: number) => this.#waiting.keys().find((caller) => this.#heldBy(caller) < most);
    return withLessThan(this.#mostOf(shares)) ?? withLessThan(this.#mostOf(1));
  }

  /** The most permits of one caller when the limit is divided. */
  #mostOf(parts: number): number {
    return Math.max(Math.min(Math.floor(this.#limit / parts), this.#limit - this.#spare), 1);
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

function tooMuch(): ServiceError {
  return new ServiceError('unavailable', 'Too much runs at once; try again.', { retryAfter: 1 });
}
