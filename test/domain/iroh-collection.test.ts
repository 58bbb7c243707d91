import { describe, expect, test } from 'vitest';
import {
  decodeCollection,
  decodeCollectionRoot,
  encodeCollection,
} from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { blake3Digest } from '../../src/domain/integrity/identifiers/hashing.ts';

const file = (text: string) => blake3Digest(text);
const entry = (name: string) => ({ name, digest: file(name) });
const unexpected = expect.objectContaining({ code: 'unexpected_content' });
const header = Buffer.from('CollectionV0.');

/** A collection whose root fits its metadata, whatever that says. */
function collectionOf(metadata: Uint8Array, files: number) {
  return { metadata, root: Buffer.concat([blake3Digest(metadata), Buffer.alloc(32 * files)]) };
}

test('encoding gives the published check values', () => {
  const { metadata, root } = encodeCollection([
    { name: 'def.txt', digest: file('def') },
    { name: 'abc.txt', digest: file('abc') },
  ]);
  expect(cidOf(codecs.raw, metadata).text).toBe(
    'bafkr4iehkah5wvfkhhuykh6j5ey33jzfktqmp5gcrt37e3g34nepkrhbwa',
  );
  expect(cidOf(codecs.hashSequence, root).text).toBe(
    'bagaachraifnmn56rqtgbdxx5x2zvasw4slukuq2t7w3iefcmsqldn7axmrpq',
  );
});

test('names are sorted by their UTF-8 bytes', () => {
  const names = ['😀', '\uff01', 'é', 'z', 'a/b', 'a', 'B', ''];
  const decoded = decodeCollection(encodeCollection(names.map(entry)));
  expect(decoded).toEqual(['', 'B', 'a', 'a/b', 'z', 'é', '\uff01', '😀'].map(entry));
});

test('an empty and a large collection can be read back', () => {
  expect(decodeCollection(encodeCollection([]))).toEqual([]);
  const many = Array.from({ length: 300 }, (_, at) => entry(String(at).padStart(200, 'x')));
  const decoded = decodeCollection(encodeCollection(many));
  expect(decoded.map(({ name }) => name)).toEqual(many.map(({ name }) => name).toSorted());
  expect(decoded).toHaveLength(300);
});

describe('refused entries', () => {
  test.each([
    ['a name twice', [entry('a'), entry('a')], 'is repeated'],
    ['a lone surrogate', [entry('\ud800')], 'lone surrogate'],
    ['a short hash', [{ name: 'a', digest: new Uint8Array(31) }], 'does not have 32 bytes'],
  ])('%s', (_name, entries, reason) => {
    expect(() => encodeCollection(entries)).toThrow(reason);
    expect(() => encodeCollection(entries)).toThrow(unexpected);
  });
});

describe('malformed collections', () => {
  test.each<[string, number[], number, string]>([
    ['metadata that is cut off', [], 0, 'cut off'],
    ['fewer names than files', [1, 1, 0x61], 2, 'names 1 files, but its root has hashes of 2'],
    ['more names than files', [2, 1, 0x61, 1, 0x62], 1, 'names 2 files, but its root has hashes of 1'],
    ['a name that is cut off', [1, 5, 0x61], 1, 'ends within a name'],
    ['a count without names', [3, 1, 0x61], 1, 'cut off'],
    ['an endless count', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 0x61], 1, 'too large'],
    ['an endless name', [1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x61], 1, 'too large'],
    ['a large count', [0xff, 0xff, 0x7f, 1, 0x61], 1, 'cut off'],
    ['a number of eleven bytes', [...Array(10).fill(0x80), 1], 1, 'not in its shortest form'],
    ['a count in a longer form', [0x81, 0x00, 1, 0x61], 1, 'not in its shortest form'],
    ['a length in a longer form', [1, 0x81, 0x00, 0x61], 1, 'not in its shortest form'],
    ['surplus bytes', [1, 1, 0x61, 0], 1, 'continues after the last name'],
    ['a name twice', [2, 1, 0x61, 1, 0x61], 2, 'is repeated'],
    ['a name that is no UTF-8', [1, 1, 0xff], 1, 'not UTF-8'],
    ['a surrogate in a name', [1, 3, 0xed, 0xa0, 0x80], 1, 'not UTF-8'],
  ])('%s', (_name, bytes, files, reason) => {
    const collection = collectionOf(Buffer.concat([header, Uint8Array.from(bytes)]), files);
    expect(() => decodeCollection(collection)).toThrow(reason);
    expect(() => decodeCollection(collection)).toThrow(unexpected);
  });

  test.each(['CollectionV1.\u0000', 'CollectionV0', '', 'collectionv0.\u0000'])('the header %j', (text) => {
    expect(() => decodeCollection(collectionOf(Buffer.from(text), 0))).toThrow('does not start with');
  });

  test('a root with the hash of other metadata', () => {
    const { root } = encodeCollection([entry('a')]);
    const { metadata } = encodeCollection([entry('b')]);
    expect(() => decodeCollection({ metadata, root })).toThrow('the hash of its metadata');
  });

  test.each([0, 1, 31, 33, 63])('a root of %i bytes', (length) => {
    expect(() => decodeCollectionRoot(new Uint8Array(length))).toThrow(unexpected);
  });
});
