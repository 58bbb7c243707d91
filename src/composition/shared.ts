import type { Log } from '../platform/log.ts';
import { AddressSemaphores } from '../platform/rate-limits/address-semaphores.ts';
import type { RateLimits } from '../platform/rate-limits/rate-limits.ts';
import { isUnauthenticated } from '../platform/settings/exposed-services.ts';
import type { ServedService, Settings } from '../platform/settings/setting-table.ts';
import { openStore, type Store } from '../storage/open.ts';
import { Semaphore } from '../storage/semaphore.ts';
import { openRateLimits } from './rate-limits.ts';

/** What the services of one process use together, and leave open. */
export interface Shared {
  readonly store: Store;
  readonly rateLimits: RateLimits;
}

/** @param services those that use it. Where none of them asks who is calling, nothing is counted with other processes. */
export async function openShared(
  settings: Settings,
  log: Log,
  services: readonly ServedService[],
): Promise<Shared & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openStore(settings, (sentence) => log.warn(sentence)));
  const isUnasked = services.every((service) => isUnauthenticated(service, settings));
  const rateLimits = opened.use(
    await openSharedRateLimits(isUnasked ? { ...settings, redisUrl: null } : settings, log),
  );
  const stack = opened.move();
  return { store, rateLimits, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export function openSharedRateLimits(settings: Settings, log: Log): Promise<RateLimits> {
  const { loginRate, callbackRate, tokenFailureRate, redisUrl, redisPrefix } = settings;
  return openRateLimits({
    rates: { login: loginRate, callback: callbackRate, token_failure: tokenFailureRate },
    redis: redisUrl === null ? null : { url: redisUrl, prefix: redisPrefix },
    onError: (err: Error) => log.warn({ err }, 'Attempts are not counted with other processes now.'),
  });
}

/** Of tokens that nobody has looked at lately: so many guesses are asked about beyond the rate of an address, at most. */
const tokensAtOnce = 16;

export function newTokenTurns({ limitWait }: Settings): AddressSemaphores {
  return new AddressSemaphores(() => new Semaphore(tokensAtOnce, limitWait));
}
