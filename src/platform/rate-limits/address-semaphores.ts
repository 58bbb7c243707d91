import type { WorkLimit } from '../../domain/integrity/ports.ts';
import { networkOf } from './address-network.ts';

/** One semaphore per address. */
export class AddressSemaphores {
  readonly #newLimit: () => WorkLimit;
  readonly #limits = new Map<string, { readonly limit: WorkLimit; users: number }>();

  constructor(newLimit: () => WorkLimit) {
    this.#newLimit = newLimit;
  }

  /** @throws ServiceError `unavailable` when no permit is free in time; any error of `work`. */
  async run<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
    const network = networkOf(address);
    const entry = this.#limits.get(network) ?? { limit: this.#newLimit(), users: 0 };
    this.#limits.set(network, entry);
    entry.users += 1;
    try {
      return await entry.limit.run(work);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.#limits.delete(network);
    }
  }
}
