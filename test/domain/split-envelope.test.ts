import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ServiceError } from '../../src/domain/errors.ts';
import { splitEnvelope } from '../../src/domain/json/split-envelope.ts';
import { jsonShape } from '../../src/domain/json/strict-json.ts';

const shapeOf = (text: string) => jsonShape(Buffer.from(text));

function split(text: string, member = 'statements', as: 'elements' | 'value' = 'elements') {
  const body = Buffer.from(text);
  const { envelope, ranges } = splitEnvelope(body, { member, as, maxElements: 1_000, setting: 'CAIRN_MAX' });
  const elements = Array.from({ length: ranges.length / 2 }, (_, at) =>
    body.subarray(ranges[at * 2], ranges[at * 2 + 1]).toString(),
  );
  return { envelope: Buffer.from(envelope).toString(), elements };
}

describe('the shape of a JSON text', () => {
  test.each([
    ['1', 0, 0, 0],
    ['[]', 1, 0, 1],
    ['{"a":[{"b":"}]{["}]}', 3, 2, 3],
    ['{"a\\"b:":1,"c":"\\\\"}', 1, 2, 2],
    ['{"a":1,"a":2}', 1, 2, 2],
    ['"unterminated', 0, 0, 0],
    ['"\\', 0, 0, 0],
    ['', 0, 0, 0],
  ])('%s has depth %i, %i members and up to %i values', (text, depth, members, values) => {
    expect(shapeOf(text)).toEqual({ depth, members, values });
  });
});

test('the shape of a JSON text with too many values is that of its beginning', () => {
  const text = `[${'1,'.repeat(3 << 20)}[[1]]]`;
  expect(shapeOf(text)).toEqual({ depth: 3, members: 0, values: (3 << 20) + 3 });
  const { depth, values } = jsonShape(Buffer.from(text), 1_000);
  expect(depth).toBe(1);
  expect(values).toBeGreaterThan(1_000);
});

describe('splitting a batch body', () => {
  const code = (work: () => unknown) => {
    try {
      return work() && 'accepted';
    } catch (error) {
      return (error as ServiceError).code;
    }
  };

  test.each([
    ['beside the statements', (size: number) => `{"x":"${'x'.repeat(size - 24)}","statements":[]}`],
    ['without statements', (size: number) => `{"x":"${'x'.repeat(size - 8)}"}`],
    ['of another kind', (size: number) => `"${'x'.repeat(size - 2)}"`],
  ])('accepts 64 KiB %s, and not one byte more', (_name, body) => {
    expect(body(1 << 16)).toHaveLength(1 << 16);
    expect(code(() => split(body(1 << 16)))).toBe('accepted');
    expect(code(() => split(body((1 << 16) + 1)))).toBe('too_large');
  });

  test('accepts the most elements, and not one more', () => {
    const body = (count: number) => `{"statements":[${Array(count).fill('0').join(',')}]}`;
    expect(split(body(1_000)).elements).toHaveLength(1_000);
    expect(code(() => split(body(1_001)))).toBe('too_large');
  });

  test.each([
    ['{"statements":[]}', [], '{"statements":[]}'],
    ['{"statements":[{"a":1},{"b":[2]}],"x":1}', ['{"a":1}', '{"b":[2]}'], '{"statements":[],"x":1}'],
    ['{ "x":[1] , "statements" : [ 1 , "],[" ] }', ['1', '"],["'], '{ "x":[1] , "statements" : [] }'],
    ['{"\\u0073tatements":[1]}', ['1'], '{"\\u0073tatements":[]}'],
    ['{"x":{"statements":[1]},"statements":[2]}', ['2'], '{"x":{"statements":[1]},"statements":[]}'],
    ['{"x":"statements","statements":[2]}', ['2'], '{"x":"statements","statements":[]}'],
  ])('%s', (text, elements, envelope) => {
    expect(split(text)).toEqual({ elements, envelope });
  });

  test.each([
    '{}',
    '[]',
    '"statements"',
    '{"other":[1]}',
    '{"statements":{"a":1}}',
    '{"statements":"[1]"}',
    '[{"statements":[1]}]',
  ])('%s has no such array and comes back whole', (text) => {
    expect(split(text)).toEqual({ elements: [], envelope: text });
  });

  test.each([
    '{"statements":[1,]}',
    '{"statements":[,1]}',
    '{"statements":[1,,2]}',
    '{"statements":[1',
    '{"statements":[',
    '{"statements" [1]}',
  ])('%s is refused', (text) => {
    expect(() => split(text)).toThrow(/The JSON is broken at byte \d+/);
  });

  test('a single value is one element', () => {
    expect(split('{"a":1,"statement":{"b":"}"},"c":2}', 'statement', 'value')).toEqual({
      elements: ['{"b":"}"}'],
      envelope: '{"a":1,"statement":null,"c":2}',
    });
  });
});

describe('for any JSON', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const spaced = fc.constantFrom(undefined, 1, '\t', '\n');

  test('depth and members are those of the value, and there are not more values than counted', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    const membersOf = (value: unknown): number => {
      if (typeof value !== 'object' || value === null) return 0;
      const own = Array.isArray(value) ? 0 : Object.keys(value).length;
      return own + Object.values(value).reduce((sum: number, item) => sum + membersOf(item), 0);
    };
    const valuesOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, item) => sum + Math.max(valuesOf(item), 1), 0)
        : 0;
    fc.assert(
      fc.property(json, spaced, (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(shapeOf(text)).toMatchObject({ depth: depthOf(value), members: membersOf(value) });
        expect(shapeOf(text).values).toBeGreaterThanOrEqual(valuesOf(value));
      }),
    );
  });

  test('the parts of a split body are those that JSON.parse finds', () => {
    const rest = fc.dictionary(fc.string(), json).map(({ statements: _, ...members }) => members);
    fc.assert(
      fc.property(rest, fc.array(json), rest, spaced, (before, statements, after, space) => {
        const text = JSON.stringify({ ...before, statements, ...after }, undefined, space);
        const { envelope, elements } = split(text);
        const parsed = JSON.parse(text) as { statements: unknown[] };
        expect(elements.map((element) => JSON.parse(element))).toEqual(parsed.statements);
        expect(JSON.parse(envelope)).toEqual({ ...parsed, statements: [] });
      }),
    );
  });

  test('a value can be replaced in any body', () => {
    fc.assert(
      fc.property(json, fc.dictionary(fc.string(), json), spaced, (document, rest, space) => {
        const text = JSON.stringify({ ...rest, document }, undefined, space);
        const { envelope, elements } = split(text, 'document', 'value');
        expect(elements.map((element) => JSON.parse(element))).toEqual([JSON.parse(text).document]);
        expect(JSON.parse(envelope).document).toBeNull();
      }),
    );
  });

  test('text that is not JSON is refused, or left to the parser', () => {
    const parts = (text: string) => {
      try {
        return split(text).elements;
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_json' });
        return [];
      }
    };
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\ astemn1') }), (text) => {
        expect(parts(`{"statements":[${text}`).length).toBeLessThanOrEqual(text.length + 1);
        parts(text);
        shapeOf(text);
      }),
    );
  });
});
