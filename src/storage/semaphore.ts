import { ServiceError } from '../domain/errors.ts';

/** Lets a limited number through at once; the others wait for their turn, first come, first served. */
export class Semaphore {
  readonly #waitMs: number;
  readonly #waiting = new Set<() => void>();
  #limit: number;
  #inside = 0;

  /** @param waitMs for how long a turn is waited for. */
  constructor(limit: number, waitMs: number) {
    this.#limit = limit;
    this.#waitMs = waitMs;
  }

  /** More come in at once; fewer come in as soon as enough have left. */
  setLimit(limit: number): void {
    this.#limit = limit;
    this.#letIn();
  }

  /**
   * @returns how to leave; calling it again does nothing.
   * @throws ServiceError `unavailable` when the turn does not come in time.
   */
  async enter(): Promise<() => void> {
    if (this.#inside < this.#limit) this.#inside += 1;
    else await this.#turn();
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#inside -= 1;
      this.#letIn();
    };
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve);
      reject(new ServiceError('unavailable', 'Too much runs at once; try again.', { retryAfter: 1 }));
    }, this.#waitMs);
    this.#waiting.add(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A place is taken here, not when the waiting one wakes up: nobody slips in between. */
  #letIn(): void {
    for (const enter of this.#waiting) {
      if (this.#inside >= this.#limit) return;
      this.#waiting.delete(enter);
      this.#inside += 1;
      enter();
    }
  }
}
