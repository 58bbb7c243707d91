import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/domain/errors.ts';
import { jsonPointer, parseStrictJson } from '../../src/domain/json/strict-json.ts';
import { thrownBy } from './samples.ts';

const options = { maxDepth: 64, exactNumbers: true };
const parse = (text: string | Uint8Array, changes = {}) =>
  parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text, { ...options, ...changes });

async function problemOf(text: string | Uint8Array, changes = {}): Promise<ServiceError> {
  const error = await thrownBy(() => parse(text, changes));
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

describe('JSON without faults is read as JSON.parse reads it', () => {
  test.each([
    'null',
    ' [ ] ',
    '"\\u00e9\\ud83d\\ude00 \\" \\\\ : , { ["',
    '{"a":{"b":[1,2,{"c":null}]},"d":"\\\\"}',
    '{"a":1,"A":1," a":1,"":1,"\\u0000":1}',
    '{"__proto__":{"a":1},"constructor":2,"toString":3}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}}}',
  ])('%s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test('a member named __proto__ is a member', () => {
    expect(Object.keys(parse('{"__proto__":{"a":1}}') as object)).toEqual(['__proto__']);
  });
});

describe('depth', () => {
  const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

  test.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":[', ']}'],
  ])('500 levels of %s are refused', async (_name, open, close) => {
    expect((await problemOf(nested(500, open, close))).code).toBe('too_deep');
  });

  test('the limit itself is accepted, one more is not', async () => {
    expect(parse(nested(64, '[', ']'))).toBeDefined();
    expect((await problemOf(nested(65, '[', ']'))).code).toBe('too_deep');
  });

  test('a million levels cost nothing', async () => {
    expect((await problemOf('['.repeat(1_000_000))).code).toBe('too_deep');
  });

  test('brackets in strings do not count', () => {
    expect(parse(JSON.stringify('['.repeat(1_000)))).toHaveLength(1_000);
  });
});

describe('duplicate keys are refused with their place', () => {
  test.each([
    ['side by side', '{"a":1,"a":1}', '/a'],
    ['spelled with escapes', '{"a":1,"\\u0061":1}', '/a'],
    ['nested', '{"x":[{"y":{"b":1,"b":2}}]}', '/x/0/y/b'],
    ['__proto__', '{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['constructor', '{"constructor":1,"constructor":2}', '/constructor'],
    ['keys that a pointer escapes', '{"a/b~c":1,"a/b~c":2}', '/a~1b~0c'],
    ['the empty key', '{"":1,"":2}', '/'],
    ['three times', '{"a":1,"a":2,"a":3}', '/a'],
  ])('%s', async (_name, text, pointer) => {
    const { code, details } = await problemOf(text);
    expect(code).toBe('invalid_json');
    expect(details?.map((detail) => detail.pointer)).toContain(pointer);
  });

  test('also where numbers need not be exact', async () => {
    expect((await problemOf('{"a":1,"a":2}', { exactNumbers: false })).code).toBe('invalid_json');
  });
});

describe('lone surrogates are refused with their place', () => {
  test.each([
    ['high, escaped, in a value', '{"a":"\\ud800"}', '/a'],
    ['low, escaped, in a value', '{"a":["x","\\udc00y"]}', '/a/1'],
    ['in the wrong order', '{"a":"\\udc00\\ud800"}', '/a'],
  ])('%s', async (_name, text, pointer) => {
    const { code, details } = await problemOf(text);
    expect(code).toBe('invalid_json');
    expect(details?.map((detail) => detail.pointer)).toEqual([pointer]);
  });

  test('in a key', async () => {
    const { code, details } = await problemOf('{"x":{"\\ud800":1}}');
    expect(code).toBe('invalid_json');
    expect(details?.[0]?.reason).toBe('a key holds a lone surrogate');
  });

  test('pairs are fine', () => {
    expect(parse('{"\\ud83d\\ude00":"\\ud83d\\ude00"}')).toEqual({ '😀': '😀' });
  });
});

describe('numbers', () => {
  test.each(['0', '-0', '1.0', '0.1', '1E2', '1e-7', '100e-2', '9007199254740992', '5e-324', '0.10', '1e21'])(
    '%s keeps its value',
    (text) => {
      expect(parse(`{"n":${text}}`)).toEqual({ n: Number(text) });
    },
  );

  test.each([
    '9007199254740993',
    '0.1000000000000000055511151231257827',
    '3.14159265358979323846',
    '1e-400',
    '-9007199254740993.0',
    '123456789012345678901234567890',
  ])('%s would change, and is refused', async (text) => {
    const { code, details } = await problemOf(`{"n":[${text}]}`);
    expect(code).toBe('invalid_json');
    expect(details?.[0]).toMatchObject({ pointer: '/n/0' });
    expect(details?.[0]?.reason).toContain('write it as a string');
  });

  test('1e400 is beyond every implementation', async () => {
    const { details } = await problemOf('{"n":1e400}', { exactNumbers: false });
    expect(details?.[0]).toMatchObject({ pointer: '/n' });
    expect(details?.[0]?.reason).toContain('beyond what JSON numbers hold');
  });

  test('an exponent of many digits is refused at once', async () => {
    expect((await problemOf(`[1e${'9'.repeat(100_000)}]`)).code).toBe('invalid_json');
  });

  test('a number of very many digits is refused at once', async () => {
    const { details } = await problemOf(`[0.${'0'.repeat(1_000_000)}1]`);
    expect(details?.[0]?.reason).toContain('over 2000 characters');
  });

  test('where they need not be exact, they are rounded as JSON.parse does', () => {
    expect(parse('[9007199254740993]', { exactNumbers: false })).toEqual([9007199254740992]);
  });
});

describe('texts that are no JSON', () => {
  test.each([
    '',
    '{',
    '{"a":1,}',
    '[1 2]',
    "{'a':1}",
    '// comment\n1',
    '{"a":01}',
    'NaN',
    '"\n"',
    '\ufeff{}',
    '{"a":1}x',
    ']]]][[[[',
  ])('%j', async (text) => {
    expect((await problemOf(text)).code).toBe('invalid_json');
  });

  test.each([
    ['a byte that is none', [0x22, 0xff, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a character that is cut off', [0x22, 0xe2, 0x82, 0x22]],
  ])('UTF-8 with %s', async (_name, bytes) => {
    expect((await problemOf(Uint8Array.from(bytes))).message).toContain('UTF-8');
  });
});

test('at most a hundred faults are named', async () => {
  const { details } = await problemOf(`[${Array(500).fill('{"a":1,"a":2}').join()}]`);
  expect(details).toHaveLength(100);
});

test('a pointer escapes tildes before slashes', () => {
  expect(jsonPointer(['~1', 0, 'a/b'])).toBe('/~01/0/a~1b');
  expect(jsonPointer([])).toBe('');
});
