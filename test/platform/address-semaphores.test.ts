import { expect, test } from 'vitest';
import { Semaphore } from '../../src/domain/semaphore.ts';
import { AddressSemaphores } from '../../src/platform/rate-limits/address-semaphores.ts';

test('each IPv4 address and each IPv6 /64 has a semaphore of its own', async () => {
  let made = 0;
  const turns = new AddressSemaphores(() => {
    made += 1;
    return new Semaphore(1, { waitMs: 60_000 });
  });
  const ended: string[] = [];
  const begin = (address: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = turns.run(address, () => promise).finally(() => ended.push(address));
    return { resolve, done };
  };
  const [first, second] = [begin('2001:db8:1:2::1'), begin('2001:db8:1:2:3::9')];
  second.resolve();
  const other = begin('2001:db8:1:3::1');
  other.resolve();
  await other.done;
  expect(ended).toEqual(['2001:db8:1:3::1']);
  first.resolve();
  await second.done;
  expect(ended).toEqual(['2001:db8:1:3::1', '2001:db8:1:2::1', '2001:db8:1:2:3::9']);
  expect(made).toBe(2);
  await expect(turns.run('192.0.2.1', async () => Promise.reject(new Error('of the work')))).rejects.toThrow(
    'of the work',
  );
  await turns.run('192.0.2.1', async () => undefined);
  expect(made).toBe(4);
});
