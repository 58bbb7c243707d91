import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestBudget, TaskWatch, type WatchedTask } from '../../workers/task-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Threads use as much CPU time as the clock shows, without the time that the process was paused. */
let pausedMs = 0;
const cpuNow = () => performance.now() - pausedMs;
const busy = async () => cpuNow();
beforeEach(() => {
  pausedMs = 0;
});

let threads = 0;
function start({ cells }: WatchedTask): void {
  threads += 1;
  cells.begin(cpuNow(), threads);
  cells.beginDocument();
}

test('the tasks of a request share its time', async () => {
  const watch = new TaskWatch(60_000, busy);
  const budget = new RequestBudget(1_000);
  const first = watch.watch(budget);
  start(first);
  await vi.advanceTimersByTimeAsync(700);
  first.cells.end(cpuNow());
  first.done();
  const [second, other] = [watch.watch(budget), watch.watch(new RequestBudget(1_000))];
  for (const task of [second, other]) start(task);
  await vi.advanceTimersByTimeAsync(700);
  expect(first.signal.aborted).toBe(false);
  expect(second.signal.aborted).toBe(true);
  expect(other.signal.aborted).toBe(false);
  for (const task of [second, other]) task.done();
});

test('a task that was ended has spent what it used until then', async () => {
  const watch = new TaskWatch(500, busy);
  const budget = new RequestBudget(60_000);
  const task = watch.watch(budget);
  start(task);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(task.signal.aborted).toBe(true);
  task.done();
  expect(budget.spentMs).toBe(1_000);
});

test('each document of a task has its own time', async () => {
  const watch = new TaskWatch(500, busy);
  const task = watch.watch(new RequestBudget(60_000));
  start(task);
  for (let document = 0; document < 5; document += 1) {
    await vi.advanceTimersByTimeAsync(400);
    task.cells.beginDocument();
  }
  expect(task.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(700);
  expect(task.signal.aborted).toBe(true);
  task.done();
});

test('a pause of the process does not count, neither for work nor for a thread that starts', async () => {
  const watch = new TaskWatch(500, busy);
  const [running, waiting] = [watch.watch(new RequestBudget(1_000)), watch.watch(new RequestBudget(1_000))];
  start(running);
  await vi.advanceTimersByTimeAsync(300);
  pausedMs = 60_000;
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + pausedMs);
  await vi.advanceTimersByTimeAsync(100);
  vi.restoreAllMocks();
  expect([running, waiting].map(({ signal }) => signal.aborted)).toEqual([false, false]);
  for (const task of [running, waiting]) task.done();
});

test('a task that its thread never starts is ended', async () => {
  const watch = new TaskWatch(500, busy);
  const task = watch.watch(new RequestBudget(1_000));
  await vi.advanceTimersByTimeAsync(31_000);
  expect(task.signal.aborted).toBe(true);
  task.done();
});

test('waiting for a thread does not count', async () => {
  const watch = new TaskWatch(500, busy);
  const task = watch.watch(new RequestBudget(1_000));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(task.signal.aborted).toBe(false);
  start(task);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(task.signal.aborted).toBe(true);
  task.done();
});

test('a task that has not started is ended soon after a thread has failed', async () => {
  const watch = new TaskWatch(60_000, busy);
  const [waiting, running] = [1, 2].map(() => watch.watch(new RequestBudget(60_000)));
  if (!waiting || !running) expect.fail();
  start(running);
  watch.threadFailed();
  const later = watch.watch(new RequestBudget(60_000));
  await vi.advanceTimersByTimeAsync(2_500);
  expect([waiting, running, later].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
  for (const task of [waiting, running, later]) task.done();
});
