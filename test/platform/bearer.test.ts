import { describe, expect, test } from 'vitest';
import { bearerOf } from '../../src/platform/tokens/bearer-attempts.ts';

describe('the bearer token of an Authorization header', () => {
  test.each([
    ['Bearer abc.d-e_f~g+h/i==', 'abc.d-e_f~g+h/i=='],
    ['bearer abc', 'abc'],
    ['BEARER   abc', 'abc'],
  ])('%j holds %j', (header, token) => expect(bearerOf(header)).toBe(token));

  test.each([
    [undefined, 'missing'],
    ['Basic YTpi', 'missing'],
    ['Bearerabc', 'missing'],
    ['', 'missing'],
    ['Bearer', 'malformed'],
    ['Bearer ', 'malformed'],
    ['Bearer abc def', 'malformed'],
    ['Bearer abc, Bearer def', 'malformed'],
    ['Bearer abc,Bearer def', 'malformed'],
    ['Bearer a\tb', 'malformed'],
    ['Bearer a\u0000b', 'malformed'],
    ['Bearer abc\n', 'malformed'],
    ['Bearer \u00e4', 'malformed'],
    ['Bearer a=b', 'malformed'],
    [`Bearer ${'a'.repeat(100_000)}`, 'too_long'],
    [`Bearer ${' '.repeat(100_000)}`, 'too_long'],
  ])('%j is refused', (header, reason) =>
    expect(() => bearerOf(header)).toThrow(expect.objectContaining({ code: 'unauthorized', reason })),
  );

  test('can have 16,000 characters', () =>
    expect(bearerOf(`Bearer ${'a'.repeat(16_000)}`)).toHaveLength(16_000));
});
