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
