import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TcpProxy } from '../../bench/tcp-proxy.ts';
import { openRateLimits } from '../../src/composition/rate-limits.ts';
import { rateLimitContract } from '../contract/rate-limits.ts';
import { describeRedis, newKeys, removeKeys } from '../queues/redis.ts';

const ignore = () => undefined;
const rate = { points: 2, perMs: 3_600_000 };
const rates = {
  login: rate,
  callback: rate,
  token_failure: rate,
  repeated_token: rate,
  proxy_failure: rate,
};
const limited = { code: 'rate_limited' };

describeRedis('rate limits in Redis', () => {
  const keys: ReturnType<typeof newKeys>[] = [];
  let proxy: TcpProxy;
  const fresh = () => {
    const made = newKeys();
    keys.push(made);
    return made;
  };
  beforeAll(async () => {
    proxy = await TcpProxy.before(fresh().url);
  });
  afterAll(async () => {
    for (const made of keys) await removeKeys(made);
    await proxy[Symbol.asyncDispose]();
  });

  rateLimitContract('in Redis', (all) => openRateLimits({ rates: all, redis: fresh(), onError: ignore }));

  test('are shared by all processes', async () => {
    const redis = fresh();
    const [one, other] = await Promise.all(
      [1, 2].map(() => openRateLimits({ rates, redis, onError: ignore })),
    );
    onTestFinished(async () => {
      await one?.[Symbol.asyncDispose]();
      await other?.[Symbol.asyncDispose]();
    });
    await one?.consume('login', '198.51.100.1');
    await other?.consume('login', '198.51.100.1');
    await expect(one?.check('login', '198.51.100.1')).rejects.toMatchObject(limited);
    await expect(other?.consume('login', '198.51.100.1')).rejects.toMatchObject(limited);
  });

  test.each(['refuse', 'half-open'] as const)(
    'count in each process while Redis is away (%s)',
    async (problem) => {
      const redis = fresh();
      await using limits = await openRateLimits({
        rates,
        redis: { ...redis, url: proxy.url(redis.url) },
        onError: ignore,
      });
      await limits.consume('login', '198.51.100.1');
      proxy.fail(problem);
      await limits.consume('login', '198.51.100.1');
      await limits.consume('login', '198.51.100.1');
      await expect(limits.consume('login', '198.51.100.1')).rejects.toMatchObject(limited);
      await expect(limits.check('login', '198.51.100.1')).rejects.toMatchObject(limited);
      await proxy.cut();
      await proxy.restore();
      await expect
        .poll(async () => await limits.check('login', '198.51.100.1').then(() => 'let through', String))
        .toBe('let through');
    },
  );

  test('can be opened while Redis is away', async () => {
    await proxy.cut();
    const redis = fresh();
    const url = proxy.url(redis.url);
    await using limits = await openRateLimits({ rates, redis: { ...redis, url }, onError: ignore });
    await limits.consume('login', '198.51.100.1');
    await proxy.restore();
  });
});
