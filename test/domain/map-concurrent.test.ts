import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapConcurrent } from '../../src/domain/map-concurrent.ts';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let at = 0; at < count; at += 1) yield at;
}

test('concurrent work keeps its order and its limit', async () => {
  let running = 0;
  let most = 0;
  const results = await Array.fromAsync(
    mapConcurrent(numbers(20), 3, async (at) => {
      most = Math.max(most, ++running);
      await setTimeout((at * 7) % 5);
      running -= 1;
      return at;
    }),
  );
  expect(results).toEqual([...Array(20).keys()]);
  expect(most).toBe(3);
});

test('concurrent work is waited for when it fails or the consumer leaves', async () => {
  let running = 0;
  const work = async (at: number) => {
    running += 1;
    await setTimeout(5);
    running -= 1;
    if (at === 2) throw new Error('two');
    return at;
  };
  await expect(Array.fromAsync(mapConcurrent(numbers(9), 4, work))).rejects.toThrow('two');
  expect(running).toBe(0);
  for await (const at of mapConcurrent(numbers(9), 4, work)) if (at === 1) break;
  expect(running).toBe(0);
});
