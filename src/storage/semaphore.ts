import PQueue from 'p-queue';
import { ServiceError } from '../domain/errors.ts';

/** Admits a limited number of callers at once, first come, first served. */
export class Semaphore {
  readonly #turns: PQueue;
  readonly #waitMs: number;

  /** @param waitMs how long to wait for a permit. */
  constructor(limit: number, waitMs: number) {
    this.#turns = new PQueue({ concurrency: limit });
    this.#waitMs = waitMs;
  }

  /** A lower limit applies as soon as enough callers have left. */
  setLimit(limit: number): void {
    this.#turns.concurrency = limit;
  }

  /**
   * @returns a function that returns the permit. More calls do nothing.
   * @throws ServiceError `unavailable` when no permit is free in time.
   */
  async enter(): Promise<() => void> {
    const entered = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), this.#waitMs);
    const stay = () => {
      clearTimeout(timer);
      entered.resolve();
      return left.promise;
    };
    this.#turns.add(stay, { signal: waiting.signal }).catch(() => {
      entered.reject(new ServiceError('unavailable', 'Too much runs at once; try again.', { retryAfter: 1 }));
    });
    await entered.promise;
    return left.resolve;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
