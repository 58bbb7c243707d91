import { gzipSync } from 'node:zlib';
import { Bitstring as IndependentBitstring } from '@digitalbazaar/bitstring';
import { describe, expect, test } from 'vitest';
import { Bitstring, encodeBitstring } from '../../src/domain/integrity/credentials/bitstring.ts';
import { listLength } from '../../src/domain/integrity/credentials/status-entries.ts';

const some = [0, 1, 7, 8, 4_711, listLength - 1];
const encodedBytes = (bytes: Uint8Array) => `u${gzipSync(bytes).toString('base64url')}`;
const reasonOf = (encoded: string) =>
  Bitstring.decode(encoded).then(
    () => 'accepted',
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );

describe('a bit string', () => {
  test('has the indexes that went in', async () => {
    const list = await Bitstring.decode(await encodeBitstring(some));
    expect(list.length).toBe(listLength);
    expect([...list.indexes()]).toEqual(some);
    expect([some.every((index) => list.get(index)), list.get(2), list.get(listLength - 2)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('is read the same by an independent implementation', async () => {
    const encoded = await encodeBitstring(some);
    const buffer = await IndependentBitstring.decodeBits({ encoded: encoded.slice(1) });
    const theirs = new IndependentBitstring({ buffer });
    const found = Array.from({ length: theirs.length }, (_, index) => index).filter((at) => theirs.get(at));
    expect(found).toEqual(some);
  });

  test('of an independent implementation is read here', async () => {
    const theirs = new IndependentBitstring({ length: listLength });
    for (const index of some) theirs.set(index, true);
    expect([...(await Bitstring.decode(`u${await theirs.encodeBits()}`)).indexes()]).toEqual(some);
  });

  test.each<[string, string, RegExp]>([
    ['without the letter u', encodedBytes(Buffer.alloc(16_384)).slice(1), /must be the letter u/],
    ['in plain base64', 'u++++', /must be the letter u/],
    ['of an impossible length', 'uAAAAA', /base64url/],
    ['that is not compressed', `u${Buffer.alloc(99).toString('base64url')}`, /not a GZIP file/],
    ['that is cut off', encodedBytes(Buffer.alloc(16_384)).slice(0, -8), /not a GZIP file/],
    ['shorter than the minimum', encodedBytes(Buffer.alloc(16_383)), /131064 entries. The minimum is 131072/],
  ])('%s is refused', async (_, encoded, reason) => {
    expect(await reasonOf(encoded)).toMatch(reason);
    expect(await reasonOf(encoded)).toMatch(/^invalid_request/);
  });

  test('that unpacks to 256 MiB is refused in little memory', async () => {
    const zeros = Buffer.alloc(1 << 20);
    const { createGzip } = await import('node:zlib');
    const gzip = createGzip({ level: 1 });
    const bomb = gzip.toArray();
    for (let at = 0; at < 256; at += 1) gzip.write(zeros);
    gzip.end();
    const encoded = `u${Buffer.concat(await bomb).toString('base64url')}`;
    const before = process.memoryUsage.rss();
    expect(await reasonOf(encoded)).toMatch(/more than 16777216 entries, which is the limit/);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 << 20);
  });

  test('has no index outside of it', async () => {
    const list = await Bitstring.decode(await encodeBitstring([]));
    for (const index of [-1, listLength, 2 ** 32]) expect(() => list.get(index)).toThrow(/outside the list/);
  });
});
