import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DigestSet } from '../../src/domain/integrity/identifiers/digest-set.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

test('a set of digests has what was added, and says what is new', () => {
  const set = new DigestSet();
  for (let at = 0; at < 5_000; at += 1) {
    expect(set.has(digest(`${at}`))).toBe(false);
    expect(set.add(digest(`${at}`))).toBe(true);
    expect(set.add(digest(`${at >> 1}`))).toBe(false);
  }
  expect(set.size).toBe(5_000);
  for (let at = 0; at < 10_000; at += 1) expect(set.has(digest(`${at}`))).toBe(at < 5_000);
});

test('digests that begin alike, and the one of zeros, are told apart', () => {
  const set = new DigestSet();
  const zero = new Uint8Array(32);
  const alike = Array.from({ length: 300 }, (_, at) =>
    Uint8Array.from({ length: 32 }, (__, byte) => (byte === 15 ? at & 255 : at >> 8)),
  );
  expect([set.has(zero), set.add(zero), set.add(zero), set.has(zero)]).toEqual([false, true, false, true]);
  for (const one of alike.slice(1)) expect(set.add(one)).toBe(true);
  expect(set.size).toBe(300);
});
