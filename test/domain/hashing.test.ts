import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blake3Digest, isBlake3 } from '../../src/domain/integrity/identifiers/hashing.ts';
import { runs } from '../property-runs.ts';

test('only the BLAKE3 digest of bytes is recognized as theirs', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  const change = fc.record({ at: fc.nat({ max: 31 }), bits: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(bytes, change, (given, { at, bits }) => {
      const digest = blake3Digest(given);
      expect(isBlake3(given, digest)).toBe(true);
      expect(isBlake3(given, digest.subarray(1))).toBe(false);
      expect(isBlake3(given, Uint8Array.of(...digest, 0))).toBe(false);
      digest[at] = (digest[at] ?? 0) ^ bits;
      expect(isBlake3(given, digest)).toBe(false);
    }),
    { numRuns: runs(500) },
  );
});
