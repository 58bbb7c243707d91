import { describe, expect, test } from 'vitest';
import {
  bucketStart,
  nearestRank,
  type SeriesBucket,
  seriesQuery,
  timeSeries,
} from '../../../../src/domain/control-plane/projects/time-series.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const now = Date.UTC(2026, 0, 31, 12, 34, 56);
const scope = { projectUrn: 'urn:uuid:p', agentId: 'a' };

const refused = (
  from: number | null,
  until: number | null,
  interval: 'minute' | 'hour' | 'day',
): string | undefined => {
  try {
    seriesQuery({ from, until, interval }, now);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request' });
    return (error as Error).message;
  }
};

test('the nearest rank of 1 value is 1, and of 100 values the percent itself', () => {
  expect([nearestRank(50, 1), nearestRank(99, 1)]).toEqual([1, 1]);
  expect([nearestRank(50, 100), nearestRank(99, 100), nearestRank(99, 101)]).toEqual([50, 99, 100]);
});

test('buckets start at whole hours and days in UTC', () => {
  expect(bucketStart(now, 'hour')).toBe(Date.UTC(2026, 0, 31, 12));
  expect(bucketStart(now, 'day')).toBe(Date.UTC(2026, 0, 31));
});

describe('the range', () => {
  test('is the last day by default', () => {
    expect(seriesQuery({ from: null, until: null, interval: 'hour' }, now)).toMatchObject({
      from: now - day,
      until: now,
    });
  });

  test('may not be empty', () => {
    expect(refused(now, now, 'minute')).toMatch(/"from" must be earlier/);
    expect(refused(now + 1, null, 'minute')).toMatch(/"from" must be earlier/);
  });

  test('has at most 2,000 buckets, and the error names an interval that fits', () => {
    expect(refused(0, 2_000 * minute, 'minute')).toBeUndefined();
    expect(refused(0, 2_000 * minute + 1, 'minute')).toMatch(/2001 buckets.*interval=hour/);
    expect(refused(1, 2_000 * minute + 1, 'minute')).toMatch(/2001 buckets/);
    expect(refused(0, 2_001 * hour, 'minute')).toMatch(/interval=day/);
    expect(refused(0, 2_001 * day, 'hour')).toMatch(/at most 2000 days/);
  });
});

test('buckets without exchanges count zero', async () => {
  const found: SeriesBucket = { start: hour, count: 3, errors: 1, denied: 1, p50: 2, p99: 5 };
  const series = async () => [found];
  const zero = { count: 0, errors: 0, denied: 0, p50: null, p99: null };
  expect(await timeSeries({ series }, scope, { from: 5, until: 2 * hour + 1, interval: 'hour' })).toEqual([
    { start: 0, ...zero },
    found,
    { start: 2 * hour, ...zero },
  ]);
});
