import { once } from 'node:events';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { FlexibleLimits } from '../platform/rate-limits/flexible-limits.ts';
import type { AttemptKind, Rate, RateLimits } from '../platform/rate-limits/rate-limits.ts';

export interface RateLimitOptions {
  readonly rates: Readonly<Record<AttemptKind, Rate>>;
  /** Counts for all processes together; without it each process counts for itself. */
  readonly redis: { readonly url: string; readonly prefix: string } | null;
  /** Told what goes wrong with the connection. */
  readonly onError: (error: Error) => void;
}

/** Whoever waits for Redis is a caller. */
const commandMs = 500;
const reconnectMs = 1_000;

/**
 * The one place where it is chosen who counts. Without its Redis a process counts for itself until it is back; the start
 * waits half a second for it at most.
 */
export async function openRateLimits({ rates, redis, onError }: RateLimitOptions): Promise<RateLimits> {
  const memory = (kind: AttemptKind) => new RateLimiterMemory(limitOf(rates[kind], kind));
  if (redis === null) return new FlexibleLimits(memory, async () => undefined);
  // Whoever needs no Redis does not wait for its client to load.
  const { Redis } = await import('ioredis');
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
  return new FlexibleLimits(shared, async () => client.disconnect());
}

function limitOf({ points, perMs }: Rate, keyPrefix: string) {
  return { points, duration: Math.ceil(perMs / 1_000), keyPrefix };
}
