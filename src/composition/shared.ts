import { once } from 'node:events';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import { Semaphore } from '../domain/semaphore.ts';
import type { Log } from '../platform/log.ts';
import { AddressSemaphores } from '../platform/rate-limits/address-semaphores.ts';
import {
  type AttemptKind,
  type Rate,
  type RateLimits,
  rateLimits,
} from '../platform/rate-limits/rate-limits.ts';
import { isUnauthenticated, type ServedService, type Settings } from '../platform/settings/setting-table.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import type { Store } from '../storage/open.ts';
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

interface RateLimitOptions {
  readonly rates: Readonly<Record<AttemptKind, Rate>>;
  /** Shares the counters between processes. Without it each process counts alone. */
  readonly redis: { readonly url: string; readonly prefix: string } | null;
  readonly onError: (error: Error) => void;
}

/** Short, because callers wait for Redis. */
const commandMs = 500;
const reconnectMs = 1_000;

/**
 * Opens rate limits in memory or in Redis. While Redis is away, each process counts alone. The start waits for Redis at
 * most half a second.
 */
export async function openRateLimits({ rates, redis, onError }: RateLimitOptions): Promise<RateLimits> {
  const memory = (kind: AttemptKind) => new RateLimiterMemory(limitOf(rates[kind], kind));
  if (redis === null) return rateLimits(each(memory), () => undefined);
  // Loaded only if needed, because loading takes time.
  const { Redis } = await import('ioredis');
  const { default: RateLimiterRedis } = await import('rate-limiter-flexible/lib/RateLimiterRedis.js');
  const client = new Redis(redis.url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMs,
    connectTimeout: commandMs,
    retryStrategy: () => reconnectMs,
  });
  client.on('error', onError);
  await once(client, 'ready', { signal: AbortSignal.timeout(commandMs) }).catch(() => undefined);
  const shared = (kind: AttemptKind) =>
    new RateLimiterRedis({
      ...limitOf(rates[kind], `${redis.prefix}:rate:${kind}`),
      storeClient: client,
      rejectIfRedisNotReady: true,
      insuranceLimiter: memory(kind),
    });
  return rateLimits(each(shared), () => client.disconnect());
}

function each(limiterOf: (kind: AttemptKind) => RateLimiterAbstract) {
  return {
    login: limiterOf('login'),
    callback: limiterOf('callback'),
    token_failure: limiterOf('token_failure'),
    repeated_token: limiterOf('repeated_token'),
    proxy_failure: limiterOf('proxy_failure'),
  };
}

function limitOf({ points, perMs }: Rate, keyPrefix: string) {
  return { points, duration: Math.ceil(perMs / 1_000), keyPrefix };
}
