import { expect, onTestFinished, test, vi } from 'vitest';
import { yieldToEventLoop } from '../../src/domain/yield-to-event-loop.ts';

/** Longer than a time slice. */
function busy(): void {
  for (const until = performance.now() + 6; performance.now() < until; );
}

test('other work runs between the slices of several long tasks', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let step = 0; step < 3; step += 1) {
      await yieldToEventLoop();
      busy();
      order.push(name);
    }
  };
  let isOver = false;
  const other = () => {
    order.push('other');
    if (!isOver) setImmediate(other);
  };
  busy();
  setImmediate(other);
  const names = Array.from({ length: 10 }, (_, at) => `work ${at}`);
  await Promise.all(names.map(work));
  isOver = true;
  const steps = order
    .join(' ')
    .split('other')
    .map((between) => between.trim());
  expect(steps.filter((between) => between !== '')).toHaveLength(30);
  expect(order.filter((name) => name !== 'other').slice(0, 10)).toEqual(names);
});

test('long tasks together leave half of the thread to others that want it', async () => {
  let clock = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  onTestFinished(() => void vi.restoreAllMocks());
  const spent = { long: 0, other: 0 };
  const spend = (who: keyof typeof spent) => {
    clock += 1;
    spent[who] += 1;
  };
  const long = async () => {
    for (let step = 0; step < 50; step += 1) {
      await yieldToEventLoop();
      spend('long');
    }
  };
  let isOver = false;
  const other = () => {
    spend('other');
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  await Promise.all(Array.from({ length: 10 }, long));
  isOver = true;
  expect(spent.long).toBe(500);
  expect(spent.other).toBeGreaterThan(450);
});
