import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Rate, RateLimits } from '../../src/platform/rate-limits/rate-limits.ts';

const threeAnHour: Rate = { points: 3, perMs: 3_600_000 };
const rates = {
  login: threeAnHour,
  callback: { points: 1, perMs: 60_000 },
  token_failure: threeAnHour,
  repeated_token: threeAnHour,
  proxy_failure: threeAnHour,
};
export type Rates = typeof rates;

/** What holds for whoever counts attempts. @param open limits of which nothing was used. */
export function rateLimitContract(
  name: string,
  open: (rates: Rates) => RateLimits | Promise<RateLimits>,
): void {
  describe(`${name}: rate limits`, () => {
    let limits: RateLimits;
    beforeEach(async () => {
      limits = await open(rates);
    });
    afterEach(async () => await limits[Symbol.asyncDispose]());

    const limited = { code: 'rate_limited' };
    const use = async (times: number, address: string) => {
      for (let n = 0; n < times; n += 1) await limits.consume('token_failure', address);
    };

    test('admit up to the limit, and report when the next request may come', async () => {
      await use(3, '198.51.100.1');
      const refusal = await limits.consume('token_failure', '198.51.100.1').catch((error) => error);
      expect(refusal).toMatchObject(limited);
      expect(refusal.retryAfter).toBeGreaterThan(3_500);
      expect(refusal.retryAfter).toBeLessThanOrEqual(3_600);
      await expect(limits.consume('token_failure', '198.51.100.1')).rejects.toMatchObject(limited);
    });

    test('count for each address and each kind', async () => {
      await use(3, '198.51.100.1');
      await use(3, '198.51.100.2');
      await limits.consume('login', '198.51.100.1');
      await limits.consume('callback', '198.51.100.1');
      await expect(limits.consume('callback', '198.51.100.1')).rejects.toMatchObject(limited);
    });

    test('can be looked at without using them', async () => {
      for (let n = 0; n < 9; n += 1) await limits.check('token_failure', '198.51.100.1');
      await use(2, '198.51.100.1');
      await limits.check('token_failure', '198.51.100.1');
      await use(1, '198.51.100.1');
      await expect(limits.check('token_failure', '198.51.100.1')).rejects.toMatchObject(limited);
    });

    test('count an IPv6 network as one address', async () => {
      await use(1, '2001:db8:1:2::1');
      await use(1, '2001:db8:1:2:3:4:5:6');
      await use(1, '2001:db8:1:2:ffff::');
      await expect(limits.check('token_failure', '2001:db8:1:2::9')).rejects.toMatchObject(limited);
      await limits.check('token_failure', '2001:db8:1:3::1');
      await use(3, '::1');
      await limits.check('token_failure', '1::');
      for (const address of ['2001:0:0:5::1', '2001::5:0:0:0:2', '2001::5:a:b:c:d']) await use(1, address);
      await expect(limits.check('token_failure', '2001::5:9:8:7:6')).rejects.toMatchObject(limited);
      await limits.check('token_failure', '2001::6:9:8:7:6');
    });

    test('count concurrent requests', async () => {
      const tries = Array.from({ length: 10 }, () => limits.consume('login', '198.51.100.1'));
      const outcomes = await Promise.allSettled(tries);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    });
  });
}
