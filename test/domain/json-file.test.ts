import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSlice } from '../../src/domain/json/json-cursor.ts';
import { JsonFile } from '../../src/domain/json/json-file.ts';
import { inMemory, type RandomAccess } from '../../src/domain/json/random-access.ts';
import { anyCharacter } from '../builders/any-text.ts';

/** Long reads come in pieces of this size, so that every place is the edge of a window somewhere. */
function inPieces(bytes: Uint8Array, size: number): RandomAccess {
  return {
    size: bytes.length,
    read: async (at, length) => bytes.subarray(at, at + (length > 200 ? Math.min(length, size) : length)),
  };
}

function textOf(bytes: Uint8Array, { start, end }: JsonSlice): string {
  return Buffer.from(bytes.subarray(start, end)).toString();
}

async function membersOf(text: string, piece = 1 << 20) {
  const bytes = Buffer.from(text + ' '.repeat(300));
  const found: [string, string][] = [];
  for await (const member of new JsonFile(inPieces(bytes, piece)).outermost())
    found.push([member.key, textOf(bytes, member)]);
  return found;
}

describe('JSON in a file', () => {
  test('is split into the members that JSON.parse finds, wherever a window ends', async () => {
    const spaces = fc.constantFrom(undefined, 1, '\t', '\r\n  ');
    const values = fc.jsonValue({ maxDepth: 4 });
    const texts = fc.oneof(
      values,
      fc.string({ unit: anyCharacter, maxLength: 300 }),
      fc.constant('\\"\\\\"'.repeat(60)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ maxLength: 20 }), texts, { maxKeys: 6, noNullPrototype: true }),
        spaces,
        fc.integer({ min: 1, max: 300 }),
        async (value, space, piece) => {
          const text = JSON.stringify(value, undefined, space);
          const expected = JSON.parse(text);
          const found = await membersOf(text, piece);
          expect(found.map(([key]) => key)).toEqual(Object.keys(expected));
          for (const [key, slice] of found) expect(JSON.parse(slice)).toEqual(expected[key]);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('is split into the elements of arrays', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 300 }), async (value, piece) => {
        const text = JSON.stringify(value, undefined, 1);
        const bytes = Buffer.from(text + ' '.repeat(300));
        const file = new JsonFile(inPieces(bytes, piece));
        const found = await Array.fromAsync(file.elements({ start: 0, end: text.length }));
        expect(found.map((slice) => JSON.parse(textOf(bytes, slice)))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('reports the white space around a value', async () => {
    const text = Buffer.from('{"a":\n{"b":1} \n,"c":2}');
    const [member] = await Array.fromAsync(new JsonFile(inMemory(text)).outermost());
    expect(member && textOf(text, member.outer)).toBe('\n{"b":1} \n');
  });

  test('keeps duplicate members', async () => {
    expect(await membersOf('{"a":1,"a":2}')).toEqual([
      ['a', '1'],
      ['a', '2'],
    ]);
  });

  test.each([
    ['', 'an object is missing'],
    ['   ', 'an object is missing'],
    ['[]', 'an object is missing'],
    ['{', 'a key is missing'],
    ['{"a"', 'a colon is missing'],
    ['{"a":', 'ends too early'],
    ['{"a":1', 'does not end'],
    ['{"a":"x', 'does not end'],
    ['{"a":[1,2', 'does not end'],
    ['{"a":}', 'a value is missing'],
    ['{"a":1,}', 'a key is missing'],
    ['{"a" 1}', 'a colon is missing'],
    ['{"a":1 2}', 'a comma or the end of the object is missing'],
    ['{a:1}', 'a key is missing'],
    ['{"a\\x":1}', 'a key is not a JSON string'],
    ['{}{}', 'nothing may follow'],
    ['{"a":1} x', 'nothing may follow'],
    [`{"${'k'.repeat(70_000)}":1}`, 'a key has more than'],
  ])('is refused where it is broken: %s', async (text, reason) => {
    const reading = Array.fromAsync(new JsonFile(inMemory(Buffer.from(text))).outermost());
    await expect(reading).rejects.toMatchObject({
      code: 'invalid_json',
      message: expect.stringContaining(reason),
    });
  });
});
