import { expect, test } from 'vitest';
import { SharedCalls } from '../../src/domain/shared-calls.ts';

/** Calls whose works end when the test says so. */
function pausedCalls() {
  const calls = new SharedCalls<number>();
  const works: PromiseWithResolvers<number>[] = [];
  const run = (key: string) =>
    calls.run(key, () => {
      const work = Promise.withResolvers<number>();
      works.push(work);
      return work.promise;
    });
  return { run, works };
}

test('calls that arrive while one runs share the next, which begins after it', async () => {
  const { run, works } = pausedCalls();
  const first = run('a');
  const others = [run('a'), run('a'), run('a')];
  expect(works).toHaveLength(1);
  works[0]?.resolve(1);
  expect(await first).toBe(1);
  await expect.poll(() => works.length).toBe(2);
  const late = run('a');
  works[1]?.resolve(2);
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  await expect.poll(() => works.length).toBe(3);
  works[2]?.resolve(3);
  expect(await late).toBe(3);
  void run('a');
  expect(works).toHaveLength(4);
});

test('calls with other keys do not wait', () => {
  const { run, works } = pausedCalls();
  void run('a');
  void run('b');
  expect(works).toHaveLength(2);
});

test('a call that fails refuses those that share it, and no others', async () => {
  const { run, works } = pausedCalls();
  const first = run('a');
  const next = [run('a'), run('a')];
  works[0]?.reject(new Error('first'));
  await expect(first).rejects.toThrow('first');
  await expect.poll(() => works.length).toBe(2);
  works[1]?.reject(new Error('second'));
  for (const each of next) await expect(each).rejects.toThrow('second');
  const last = run('a');
  works[2]?.resolve(3);
  expect(await last).toBe(3);
});
