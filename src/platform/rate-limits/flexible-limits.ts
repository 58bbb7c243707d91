import { isIPv6 } from 'node:net';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../domain/errors.ts';
import type { AttemptKind, RateLimits } from './rate-limits.ts';

/** Limits by rate-limiter-flexible, wherever its counters are. */
export class FlexibleLimits implements RateLimits {
  readonly #limiters: Readonly<Record<AttemptKind, RateLimiterAbstract>>;
  readonly #close: () => Promise<void>;

  constructor(limiterOf: (kind: AttemptKind) => RateLimiterAbstract, close: () => Promise<void>) {
    this.#limiters = {
      login: limiterOf('login'),
      callback: limiterOf('callback'),
      token_failure: limiterOf('token_failure'),
    };
    this.#close = close;
  }

  async consume(kind: AttemptKind, address: string): Promise<void> {
    try {
      await this.#limiters[kind].consume(keyOf(address));
    } catch (error) {
      if (error instanceof RateLimiterRes) refuse(error);
      throw error;
    }
  }

  async check(kind: AttemptKind, address: string): Promise<void> {
    const limiter = this.#limiters[kind];
    const used = await limiter.get(keyOf(address));
    if (used && used.consumedPoints >= limiter.points) refuse(used);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

/** Whoever has an IPv6 address has a /64 of them. */
function keyOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const ends = tail === '' ? [] : tail.split(':');
  const missing = 8 - groups.length - ends.length;
  const whole = address.includes('::') ? [...groups, ...Array<string>(missing).fill('0'), ...ends] : groups;
  return `${whole.slice(0, 4).join(':')}::/64`;
}

function refuse({ msBeforeNext }: RateLimiterRes): never {
  const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const message = `Too many attempts from this address. Try again in ${retryAfter} s.`;
  throw new ServiceError('rate_limited', message, { retryAfter });
}
