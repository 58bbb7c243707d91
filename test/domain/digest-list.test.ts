import { expect, test } from 'vitest';
import { DigestList } from '../../src/domain/integrity/identifiers/digest-list.ts';
import { blake3Digest } from '../../src/domain/integrity/identifiers/hashing.ts';

test.each([0, 1, 1_023, 1_024, 1_025, 3_000])('a list of %i digests gives them in their order', (length) => {
  const digests = Array.from({ length }, (_, at) => blake3Digest(`${at}`));
  const list = new DigestList();
  for (const digest of digests) list.push(digest);
  expect([...list].map((digest) => Buffer.from(digest).toString('hex'))).toEqual(
    digests.map((digest) => Buffer.from(digest).toString('hex')),
  );
});
