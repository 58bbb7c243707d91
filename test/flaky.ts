import type { Reporter, TestCase } from 'vitest/node';

/** What is read of a test. */
type Tried = Pick<TestCase, 'fullName' | 'diagnostic' | 'result'>;

/** The name of a test that failed first and passed when it was repeated, and why it failed; `undefined` for all others. */
export function flakyLines(test: Tried): string[] | undefined {
  if (!test.diagnostic()?.flaky) return undefined;
  const why = (test.result().errors ?? []).map(({ stack, message }) => `   ${stack ?? message}`);
  return [` - ${test.fullName}`, ...why];
}

/** Lists at the end of a run which tests passed only when they were repeated, so that nobody misses that they fail at times. */
export function flakyReporter(): Reporter {
  const found: string[] = [];
  return {
    onTestCaseResult: (test) => void found.push(...(flakyLines(test) ?? [])),
    onTestRunEnd() {
      if (found.length > 0) console.log([' Failed first, passed when repeated:', ...found].join('\n'));
    },
  };
}
