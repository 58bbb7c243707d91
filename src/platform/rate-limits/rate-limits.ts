/** What is limited for each address. */
export type AttemptKind = 'login' | 'callback' | 'token_failure';

/** So many in such a time, in milliseconds. */
export interface Rate {
  readonly points: number;
  readonly perMs: number;
}

/** How often an address may try. A store that cannot be reached limits less exactly, and never fails a request. */
export interface RateLimits extends AsyncDisposable {
  /** Counts an attempt. @throws ServiceError `rate_limited`, with `retryAfter`, when it is one too many. */
  consume(kind: AttemptKind, address: string): Promise<void>;
  /** Counts nothing. @throws ServiceError `rate_limited` when another attempt would be one too many. */
  check(kind: AttemptKind, address: string): Promise<void>;
}
