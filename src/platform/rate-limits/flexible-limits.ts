import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../domain/errors.ts';
import { networkOf } from './address-network.ts';
import type { AttemptKind, RateLimits } from './rate-limits.ts';

/** Rate limits of rate-limiter-flexible, with counters in memory or in Redis. */
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
      await this.#limiters[kind].consume(networkOf(address));
    } catch (error) {
      if (error instanceof RateLimiterRes) refuse(error);
      throw error;
    }
  }

  async check(kind: AttemptKind, address: string): Promise<void> {
    const limiter = this.#limiters[kind];
    const used = await limiter.get(networkOf(address));
    if (used && used.consumedPoints >= limiter.points) refuse(used);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

function refuse({ msBeforeNext }: RateLimiterRes): never {
  const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const message = `Too many attempts from this address. Try again in ${retryAfter} s.`;
  throw new ServiceError('rate_limited', message, { retryAfter });
}
