import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { digestsHasher, furtherHashes } from '../../src/domain/integrity/identifiers/hashing.ts';
import { HashPool } from '../../workers/hash-pool.ts';

test('a thread hashes several blobs at once, whatever their chunks, and leaves these to their owner', async () => {
  await using pool = new HashPool((error) => expect.fail(String(error)));
  const sizes = [0, 1, 1_000, 300_000, 2_000_000];
  await Promise.all(
    sizes.map(async (size) => {
      const bytes = randomBytes(size);
      const buffer = Buffer.alloc(65_536);
      async function* reused() {
        for (let at = 0; at < size; at += buffer.length) {
          const length = bytes.copy(buffer, 0, at);
          yield buffer.subarray(0, length);
        }
      }
      const hasher = digestsHasher(size, furtherHashes);
      hasher.update(bytes);
      expect(await pool.hash(reused(), size, furtherHashes)).toEqual(hasher.digests());
    }),
  );
});

test('a blob that cannot be read to its end fails, and the next one is hashed', async () => {
  await using pool = new HashPool((error) => expect.fail(String(error)));
  async function* cut() {
    yield Buffer.from('start');
    throw new Error('The disk is gone.');
  }
  await expect(pool.hash(cut(), 10, [])).rejects.toThrow('The disk is gone.');
  const { blake3 } = await pool.hash([] as never, 0, []);
  expect(Buffer.from(blake3, 'base64url').toString('hex')).toMatch(/^af1349b9/);
});
