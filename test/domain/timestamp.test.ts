import { describe, expect, test } from 'vitest';
import { parseTime, statementTime } from '../../src/domain/integrity/identifiers/timestamp.ts';

describe('parsing RFC 3339 times', () => {
  test.each([
    ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31t12:00:00z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00:00.25Z', Date.UTC(2026, 0, 31, 12, 0, 0, 250)],
    ['2026-01-31T12:00:00.123456789+02:30', Date.UTC(2026, 0, 31, 9, 30, 0, 123)],
    ['2024-02-29T00:00:00-00:00', Date.UTC(2024, 1, 29)],
    ['0000-02-29T00:00:00Z', Date.parse('0000-02-29T00:00:00Z')],
    ['1969-12-31T23:59:59Z', -1_000],
  ])('%s', (text, time) => {
    expect(parseTime(text)).toBe(time);
  });

  test.each([
    '',
    'now',
    '2026-01-31',
    '2026-01-31T12:00Z',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:61:00Z',
    '2026-01-01T00:00:00+99:00',
    '+12026-01-01T00:00:00Z',
    ' 2026-01-31T12:00:00Z',
  ])('refuses "%s"', (text) => {
    expect(parseTime(text)).toBeNull();
  });

  test('parses the times of statements', () => {
    const time = new Date(Date.UTC(2026, 5, 1, 2, 3, 4));
    expect(parseTime(statementTime(time))).toBe(time.getTime());
  });
});
