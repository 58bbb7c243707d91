import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodedBase64, decodedSize, encodedBase64 } from '../../src/domain/base64.ts';
import { inMemory } from '../../src/domain/json/random-access.ts';

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decoded(text: string): Promise<Buffer> {
  const bytes = Buffer.from(text);
  return Buffer.concat(await Array.fromAsync(decodedBase64(inMemory(bytes), 0, bytes.length)));
}

describe('streamed base64', () => {
  test('equals base64 of the whole, in both directions and with any chunks', async () => {
    const size = fc.oneof(fc.nat({ max: 100 }), fc.integer({ min: 700_000, max: 1_700_000 }));
    await fc.assert(
      fc.asyncProperty(
        size,
        fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constant(65_536)),
        async (length, step) => {
          const bytes = randomBytes(step < 8 ? length % 1_000 : length);
          const text = Buffer.concat(await Array.fromAsync(encodedBase64(chunks(bytes, step)))).toString();
          expect(text === bytes.toString('base64')).toBe(true);
          expect((await decoded(text)).equals(bytes)).toBe(true);
          expect(await decodedSize(inMemory(Buffer.from(text)), 0, text.length)).toBe(bytes.length);
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each([
    'YQ',
    'YQ=',
    'YR==',
    'YWI',
    'YWJ=',
    'YQ==YQ==',
    'Y Q=',
    'YQ==\n',
    '_w==',
    '-w==',
    '====',
    'YW\\/',
    'é===',
  ])('refuses %j, which is not canonical', async (text) => {
    await expect(decoded(text)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('refuses padding in the middle of a long text', async () => {
    const text = Buffer.from(randomBytes(1 << 20)).toString('base64');
    await expect(decoded(`${text.slice(0, (1 << 20) - 4)}YQ==${text.slice(1 << 20)}`)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
