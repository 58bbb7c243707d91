import { once } from 'node:events';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import {
  type AttemptKind,
  type Rate,
  type RateLimits,
  rateLimits,
} from '../platform/rate-limits/rate-limits.ts';

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
