import { expect, test } from 'vitest';
import type { TestCase } from 'vitest/node';
import { flakyLines } from './flaky.ts';

const tried = (flaky: boolean) => ({
  fullName: 'a queue > keeps its order',
  diagnostic: () => ({ flaky }) as ReturnType<TestCase['diagnostic']>,
  result: () => ({ state: 'passed' as const, errors: [{ message: 'refused', stacks: [] }] }),
});

test('a run names the tests that passed only when they were repeated, and why they failed', () => {
  expect(flakyLines(tried(true))).toEqual([' - a queue > keeps its order', '   refused']);
  expect(flakyLines(tried(false))).toBeUndefined();
});
