interface Call {
  readonly item: unknown;
  readonly outcome: PromiseWithResolvers<unknown>;
}

interface Group {
  readonly waiting: Call[];
  /** How many batches are at work. */
  running: number;
}

interface GatheringOptions {
  /** Calls of a batch. */
  readonly most: number;
  /** How many batches of a key are at work. */
  readonly atOnce: number;
  /** Runs the work on a batch. It begins in the async context of any of the calls. */
  readonly around?: <Result>(work: () => Result) => Result;
}

/** Gathers calls that come together, or while others with the same key are at work, so that they share a batch. */
export class Gathering {
  readonly #groups = new Map<string, Group>();
  readonly #most: number;
  readonly #atOnce: number;
  readonly #around: NonNullable<GatheringOptions['around']>;

  constructor({ most, atOnce, around = (work) => work() }: GatheringOptions) {
    this.#most = most;
    this.#atOnce = atOnce;
    this.#around = around;
  }

  /**
   * @param work on the items of a batch. Calls with the same key give work that does the same. Its error is that of all calls.
   * @returns the result that the work has at the place of this item.
   */
  async run<Item, Result>(
    key: string,
    item: Item,
    work: (items: readonly Item[]) => Promise<readonly Result[]>,
  ): Promise<Result> {
    const group = this.#groups.getOrInsertComputed(key, () => ({ waiting: [], running: 0 }));
    const outcome = Promise.withResolvers<unknown>();
    group.waiting.push({ item, outcome });
    if (group.running < this.#atOnce) {
      group.running += 1;
      // After this turn, so that those who come in it go together.
      setImmediate(() => void this.#workAll(key, group, work as Work));
    }
    return (await outcome.promise) as Result;
  }

  async #workAll(key: string, group: Group, work: Work): Promise<void> {
    while (group.waiting.length > 0) {
      const batch = group.waiting.splice(0, this.#most);
      try {
        const results = await this.#around(() => work(batch.map(({ item }) => item)));
        for (const [at, { outcome }] of batch.entries()) outcome.resolve(results[at]);
      } catch (error) {
        for (const { outcome } of batch) outcome.reject(error);
      }
    }
    group.running -= 1;
    if (group.running === 0 && this.#groups.get(key) === group) this.#groups.delete(key);
  }
}

type Work = (items: readonly unknown[]) => Promise<readonly unknown[]>;
