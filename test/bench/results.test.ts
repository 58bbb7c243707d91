import { describe, expect, test } from 'vitest';
import type { Row } from '../../bench/measure.ts';
import type { Goal } from '../../bench/results/goals.ts';
import { withFigures } from '../../bench/results/page.ts';
import { headline, type Results } from '../../bench/results/results.ts';

const fast: Goal = {
  what: 'batches',
  bench: 'ingest',
  row: 'ours',
  beside: 'bare',
  rate: 'per second',
  column: 'ratio',
  goal: 0.5,
};
const small: Goal = { what: 'bytes', bench: 'single', row: 'ours', column: 'kB', goal: 15, isCeiling: true };

function ingested(ratio: number): Results {
  const rows = [
    { what: 'bare', 'per second': 40_000, ratio: 1 },
    { what: 'ours', 'per second': 40_000 * ratio, ratio },
  ];
  return { ingest: resultOf(rows) };
}

function written(kB: number): Results {
  return { single: resultOf([{ what: 'ours', kB }]) };
}

function resultOf(rows: Row[]) {
  return { date: '2026-01-01T00:00:00Z', commit: 'abc', machine: 'a machine', tables: [{ title: '', rows }] };
}

describe('the table of goals', () => {
  test('shows ours, what it is compared with, and the change since the last run', () => {
    expect(headline([fast], ingested(0.6), ingested(0.4))).toEqual([
      {
        what: 'batches',
        ours: '24,000 per second',
        'beside what': 'bare: 40,000',
        ratio: 0.6,
        goal: '≥ 0.5, reached',
        'ratio of the last run': 0.4,
        change: '+50 %',
      },
    ]);
  });

  test('judges a ceiling by being at most the goal', () => {
    const goalOf = (kB: number) => headline([small], written(kB), {})[0]?.goal;
    expect([goalOf(49), goalOf(15)]).toEqual(['≤ 15', '≤ 15, reached']);
  });

  test('shows a loss as a negative change', () => {
    expect(headline([small], written(12), written(16))[0]?.change).toBe('-25 %');
  });

  test('leaves out goals whose bench did not run', () => {
    expect(headline([fast, small], written(20), {}).map(({ what }) => what)).toEqual(['bytes']);
  });

  test('says that a bench did not report a row, and keeps the other goals', () => {
    const renamed = { ...fast, row: 'renamed' };
    expect(headline([renamed, fast], ingested(0.6), {})).toMatchObject([
      { ratio: 'not reported', goal: '≥ 0.5', change: '' },
      { ratio: 0.6 },
    ]);
  });

  test('does not compare a kept result with itself', () => {
    const last = { ...ingested(0.6), ...written(20) };
    const now = { ...last, ...written(10) };
    expect(headline([fast, small], now, last).map(({ change }) => change)).toEqual(['', '-50 %']);
  });
});

describe('the page', () => {
  const page =
    '# Benchmarks\n\nHow to.\n\n## ingest\n\nBatches.\n\n| old |\n\n## single\n\nOne by one.\n\n| kept |\n';

  test('gets the new figures of one section, whose first paragraph stays', () => {
    expect(withFigures(page, 'ingest', '| new |')).toBe(page.replace('| old |', '| new |'));
  });

  test('gets figures in its last section', () => {
    expect(withFigures(page, 'single', '| new |')).toBe(page.replace('| kept |', '| new |'));
  });

  test('must have the section', () => {
    expect(() => withFigures(page, 'jobs', '| new |')).toThrow('no section "## jobs"');
  });
});
