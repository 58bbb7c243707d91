import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestBudget, TaskWatch, type WatchedTask } from '../../workers/task-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start({ begun }: WatchedTask): void {
  Atomics.add(new Int32Array(begun), 0, 1);
}

test('the tasks of a request share its time', () => {
  const watch = new TaskWatch(60_000);
  const budget = new RequestBudget(1_000);
  const first = watch.watch(budget);
  start(first);
  vi.advanceTimersByTime(700);
  first.done();
  const [second, other] = [watch.watch(budget), watch.watch(new RequestBudget(1_000))];
  for (const task of [second, other]) start(task);
  vi.advanceTimersByTime(700);
  expect(first.signal.aborted).toBe(false);
  expect(second.signal.aborted).toBe(true);
  expect(other.signal.aborted).toBe(false);
  for (const task of [second, other]) task.done();
});

test('a task that its thread never starts is ended', () => {
  const watch = new TaskWatch(500);
  const task = watch.watch(new RequestBudget(1_000));
  vi.advanceTimersByTime(31_000);
  expect(task.signal.aborted).toBe(true);
  task.done();
});

test('waiting for a thread does not count', () => {
  const watch = new TaskWatch(500);
  const task = watch.watch(new RequestBudget(1_000));
  vi.advanceTimersByTime(10_000);
  expect(task.signal.aborted).toBe(false);
  start(task);
  vi.advanceTimersByTime(1_000);
  expect(task.signal.aborted).toBe(true);
  task.done();
});

test('a task that has not started is ended soon after a thread has failed', () => {
  const watch = new TaskWatch(60_000);
  const [waiting, running] = [1, 2].map(() => watch.watch(new RequestBudget(60_000)));
  if (!waiting || !running) expect.fail();
  start(running);
  watch.threadFailed();
  const later = watch.watch(new RequestBudget(60_000));
  vi.advanceTimersByTime(2_500);
  expect([waiting, running, later].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
  for (const task of [waiting, running, later]) task.done();
});
