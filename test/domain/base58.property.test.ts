import fc from 'fast-check';
import { base58btc } from 'multiformats/bases/base58';
import { expect, test } from 'vitest';
import { base58Text } from '../../src/domain/integrity/identifiers/base58.ts';

test('base58 of any bytes is what the library writes, leading zeros included', () => {
  const bytes = fc
    .tuple(fc.nat({ max: 4 }), fc.uint8Array({ maxLength: 100 }))
    .map(([zeros, rest]) => Uint8Array.from([...new Uint8Array(zeros), ...rest]));
  const isSame = (some: Uint8Array) => {
    expect(base58Text(some)).toBe(base58btc.encode(some));
  };
  fc.assert(fc.property(bytes, isSame));
});
