import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../domain/errors.ts';
import { networkOf } from './address-network.ts';

/** Attempts that are limited for each address. */
export type AttemptKind = 'login' | 'callback' | 'token_failure';

/** `points` attempts in `perMs` milliseconds. */
export interface Rate {
  readonly points: number;
  readonly perMs: number;
}

/** Limits the attempts of an address. While Redis is away the limits are less exact; no request fails for that. */
export interface RateLimits extends AsyncDisposable {
  /** Counts an attempt. @throws ServiceError `rate_limited`, with `retryAfter`, when the limit is passed. */
  consume(kind: AttemptKind, address: string): Promise<void>;
  /** Counts nothing. @throws ServiceError `rate_limited` when another attempt would pass the limit. */
  check(kind: AttemptKind, address: string): Promise<void>;
}

export function rateLimits(
  limiters: Readonly<Record<AttemptKind, RateLimiterAbstract>>,
  close: () => void,
): RateLimits {
  return {
    async consume(kind, address) {
      await limiters[kind].consume(networkOf(address)).catch((error: unknown) => {
        throw error instanceof RateLimiterRes ? refusal(error) : error;
      });
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
  const message = `Too many attempts from this address. Try again in ${retryAfter} s.`;
  return new ServiceError('rate_limited', message, { retryAfter });
}
