import { isIPv6 } from 'node:net';
import type { WorkLimit } from '../../domain/integrity/ports.ts';

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

/** The unit in which callers are counted: an IPv4 address or an IPv6 /64, because an IPv6 host owns a whole /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const ends = tail === '' ? [] : tail.split(':');
  const missing = 8 - groups.length - ends.length;
  const whole = address.includes('::') ? [...groups, ...Array<string>(missing).fill('0'), ...ends] : groups;
  return `${whole.slice(0, 4).join(':')}::/64`;
}
