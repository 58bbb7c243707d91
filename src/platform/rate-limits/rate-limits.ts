import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';
import { ServiceError } from '../../domain/errors.ts';
import { networkOf } from './address-semaphores.ts';

/**
 * Attempts that are limited for each address; `repeated_token`: for each token, by its hash; `proxy_failure`: for all
 * addresses that one unlisted proxy reports.
 */
export type AttemptKind = 'login' | 'callback' | 'token_failure' | 'repeated_token' | 'proxy_failure';

/** `points` attempts in `perMs` milliseconds. */
export interface Rate {
  readonly points: number;
  readonly perMs: number;
}

/** Limits the attempts of an address. While Redis is away the limits are less exact; no request fails for that. */
export interface RateLimits extends AsyncDisposable {
  /**
   * Counts an attempt. @returns the number of attempts in this period.
   * @throws ServiceError `rate_limited`, with `retryAfter`, when the limit is passed.
   */
  consume(kind: AttemptKind, address: string): Promise<number>;
  /** Counts nothing. @throws ServiceError `rate_limited` when another attempt would pass the limit. */
  check(kind: AttemptKind, address: string): Promise<void>;
}

export function rateLimits(
  limiters: Readonly<Record<AttemptKind, RateLimiterAbstract>>,
  close: () => void,
): RateLimits {
  return {
    async consume(kind, address) {
      const used = await limiters[kind].consume(networkOf(address)).catch((error: unknown) => {
        throw error instanceof RateLimiterRes ? refusal(error) : error;
      });
      return used.consumedPoints;
    },
    async check(kind, address) {
      const limiter = limiters[kind];
      const used = await limiter.get(networkOf(address));
      if (used && used.consumedPoints >= limiter.points) throw refusal(used);
    },
    [Symbol.asyncDispose]: async () => close(),
  };
}

function refusal({ msBeforeNext }: RateLimiterRes): ServiceError {
  const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1_000));
  const message = `Too many attempts. Try again in ${retryAfter} s.`;
  return new ServiceError('rate_limited', message, { retryAfter });
}
