import PQueue from 'p-queue';

interface CallerTurns {
  readonly queue: PQueue;
  /** Work that runs or waits. */
  open: number;
}

/**
 * Shares the threads fairly between callers. The callers that have work now divide the threads among them, and each may
 * use at least one. There is one thread more than a single caller can use, so others need not wait for slow work.
 */
export class Turns {
  readonly #threads: number;
  readonly #all: PQueue;
  readonly #callers = new Map<string, CallerTurns>();

  constructor(threads: number) {
    this.#threads = threads;
    this.#all = new PQueue({ concurrency: threads + 1 });
  }

  /**
   * Runs the work when it is the caller's turn.
   * @param waiting ends the wait with its reason. It must not abort once the work runs.
   */
  async run<Result>(caller: string, waiting: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const own = this.#callers.get(caller) ?? { queue: new PQueue(), open: 0 };
    own.open += 1;
    if (own.open === 1) {
      this.#callers.set(caller, own);
      this.#divide();
    }
    const inTurn = () => this.#all.add(work, { signal: waiting });
    try {
      return await own.queue.add(inTurn, { signal: waiting });
    } finally {
      own.open -= 1;
      if (own.open === 0) {
        this.#callers.delete(caller);
        this.#divide();
      }
    }
  }

  #divide(): void {
    const share = Math.max(Math.floor(this.#threads / this.#callers.size), 1);
    for (const { queue } of this.#callers.values()) queue.concurrency = share;
  }
}
