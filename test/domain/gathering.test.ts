import { expect, test } from 'vitest';
import { Gathering } from '../../src/domain/gathering.ts';

test('calls that come together, or while others are at work, share a batch of their key', async () => {
  const batches: string[][] = [];
  const gathering = new Gathering({ most: 3, atOnce: 1 });
  const end = Promise.withResolvers<void>();
  const run = (key: string, item: string) =>
    gathering.run(key, item, async (items) => {
      batches.push([...items]);
      await end.promise;
      return items.map((one) => `${key} ${one}`);
    });
  const first = [run('a', '1'), run('a', '2'), run('b', '3')];
  await new Promise((resolve) => setImmediate(resolve));
  const later = ['4', '5', '6', '7'].map((item) => run('a', item));
  end.resolve();
  expect(await Promise.all([...first, ...later])).toEqual(['a 1', 'a 2', 'b 3', 'a 4', 'a 5', 'a 6', 'a 7']);
  expect(batches).toEqual([['1', '2'], ['3'], ['4', '5', '6'], ['7']]);
});

test('an error is that of all calls of its batch, and of no later one', async () => {
  const gathering = new Gathering({ most: 10, atOnce: 1 });
  const run = (item: number) =>
    gathering.run('', item, async (items) => {
      if (items.includes(0)) throw new Error('zero');
      return items;
    });
  const outcomes = await Promise.allSettled([run(0), run(1)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await run(1)).toBe(1);
});
