import { Semaphore } from '../domain/semaphore.ts';
import type { Log } from '../platform/log.ts';
import { AddressSemaphores } from '../platform/rate-limits/address-semaphores.ts';
import type { RateLimits } from '../platform/rate-limits/rate-limits.ts';
import { isUnauthenticated, type ServedService, type Settings } from '../platform/settings/setting-table.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import type { Store } from '../storage/open.ts';
import { openRateLimits } from './rate-limits.ts';
import { openObservedStore } from './telemetry/open-observed-store.ts';

/** Resources that the services of one process share and do not close. */
export interface Shared {
  readonly store: Store;
  readonly rateLimits: RateLimits;
  /** Default: none. */
  readonly telemetry?: Telemetry;
}

/** @param services the users of the resources. If none of them authenticates, rate limits do not need Redis. */
export async function openShared(
  settings: Settings,
  log: Log,
  services: readonly ServedService[],
): Promise<Shared & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const { store, telemetry } = opened.use(await openObservedStore(settings, log));
  const isOpen = services.every((service) => isUnauthenticated(service, settings));
  const rateLimits = opened.use(
    await openSharedRateLimits(isOpen ? { ...settings, redisUrl: null } : settings, log),
  );
  const stack = opened.move();
  return { store, rateLimits, telemetry, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The failures of an unlisted proxy are limited like those of so many addresses. */
const addressesBehindProxy = 10;

export function openSharedRateLimits(settings: Settings, log: Log): Promise<RateLimits> {
  const { loginRate, callbackRate, tokenFailureRate, redisUrl, redisPrefix } = settings;
  return openRateLimits({
    rates: {
      login: loginRate,
      callback: callbackRate,
      token_failure: tokenFailureRate,
      repeated_token: tokenFailureRate,
      proxy_failure: { ...tokenFailureRate, points: tokenFailureRate.points * addressesBehindProxy },
    },
    redis: redisUrl === null ? null : { url: redisUrl, prefix: redisPrefix },
    onError: (err: Error) => log.warn({ err }, 'Redis is away, so this process counts attempts alone.'),
  });
}

/** Limits how many tokens of an address are verified at once, and so how many guesses can exceed its rate limit. */
const tokensAtOnce = 16;

export function newTokenSemaphores({ limitWait }: Settings): AddressSemaphores {
  return new AddressSemaphores(() => new Semaphore(tokensAtOnce, { waitMs: limitWait }));
}
