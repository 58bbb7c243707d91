import { expect, test } from 'vitest';
import { cidOf, codecs, digestHex } from '../../src/domain/integrity/identifiers/cid.ts';
import { describeTestData, readTestJson } from '../test-data.ts';

interface Vectors {
  readonly cases: readonly { readonly input_len: number; readonly [output: string]: number | string }[];
}

/** Outputs of the vectors that Cairn has no use for. */
const unused = ['keyed_hash', 'derive_key'];

describeTestData('BLAKE3', () => {
  const { cases } = readTestJson<Vectors>('conformance', 'blake3', 'test_vectors.json');

  test.each(cases)('the hash of $input_len bytes, in its default length', ({ input_len, hash }) => {
    const input = Uint8Array.from({ length: input_len }, (_, at) => at % 251);
    // What follows the first 32 bytes is the extended output, which Cairn does not use.
    expect(digestHex(cidOf(codecs.raw, input))).toBe(String(hash).slice(0, 64));
  });

  test('the vectors hold nothing but the hash and what Cairn does not use', () => {
    const outputs = new Set(cases.flatMap((entry) => Object.keys(entry)));
    expect([...outputs].sort()).toEqual(['input_len', 'hash', ...unused].sort());
  });
});
