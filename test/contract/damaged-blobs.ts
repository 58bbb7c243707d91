import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cid, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import type { MultihashName } from '../../src/domain/integrity/identifiers/hashing.ts';
import type { BlobStore } from '../../src/domain/integrity/ports.ts';
import { putBlob } from './filled-store.ts';

export type BlobDamage = 'flip' | 'truncate';

export interface DamagedBlobs extends AsyncDisposable {
  readonly blobs: BlobStore;
  /** Changes the stored bytes: inverts the first one, or cuts off the last one. */
  damage(cid: Cid, how: BlobDamage): Promise<void>;
}

/** What every BlobStore does with blobs whose stored bytes have changed. */
export function damagedBlobsContract(open: () => Promise<DamagedBlobs>): void {
  describe('a damaged blob', () => {
    let place: DamagedBlobs;
    beforeAll(async () => {
      place = await open();
    });
    afterAll(() => place[Symbol.asyncDispose]());

    async function damaged(size: number, how: BlobDamage, multihash: MultihashName = 'blake3') {
      const bytes = randomBytes(size);
      const cid = await putBlob(place.blobs, bytes, multihash);
      await place.damage(cid, how);
      return { bytes, cid };
    }

    /** Reads until the end or an error. */
    async function readTo(cid: Cid) {
      const chunks: Uint8Array[] = [];
      try {
        const content = await place.blobs.read(cid);
        for await (const chunk of content?.bytes ?? []) chunks.push(chunk);
        return { bytes: Buffer.concat(chunks), error: undefined };
      } catch (error) {
        return { bytes: Buffer.concat(chunks), error };
      }
    }

    const small = 5_000;
    const large = (3 << 20) + 5;

    test.each([
      [small, 'flip', 'blake3'],
      [small, 'flip', 'sha2-256'],
      [small, 'truncate', 'blake3'],
      [1, 'truncate', 'blake3'],
      [large, 'flip', 'blake3'],
      [large, 'flip', 'sha2-256'],
      [large, 'truncate', 'blake3'],
    ] as const)('of %i bytes is named, and never read to its end: %s, %s', async (size, how, multihash) => {
      const { cid } = await damaged(size, how, multihash);
      const { bytes, error } = await readTo(cid);
      expect(error).toHaveProperty('message', expect.stringContaining(cid.text));
      expect(bytes.length).toBeLessThan(size === large ? size - 1 : 1);
    });

    test('is refused before its first byte when it is small', async () => {
      const { cid } = await damaged(small, 'flip');
      await expect(place.blobs.read(cid)).rejects.toMatchObject({
        code: 'damaged',
        message: expect.stringContaining(`The blob ${cid.text} is damaged`),
      });
    });

    test('still answers ranges, which are not verified', async () => {
      const { cid, bytes } = await damaged(small, 'flip');
      const content = await place.blobs.read(cid, { first: 1, last: 9 });
      expect(Buffer.concat(await Array.fromAsync(content?.bytes ?? []))).toEqual(bytes.subarray(1, 10));
    });

    test.each([
      [small, 'flip', 'blake3'],
      [small, 'truncate', 'sha2-256'],
      [large, 'flip', 'blake3'],
      [large, 'truncate', 'blake3'],
    ] as const)(
      'of %i bytes is repaired by storing the bytes again: %s, %s',
      async (size, how, multihash) => {
        const { cid, bytes } = await damaged(size, how, multihash);
        expect(await putBlob(place.blobs, bytes, multihash)).toEqual(cid);
        const read = await readTo(makeCid(0x55, cid.digest, multihash));
        expect(read.error).toBeUndefined();
        expect(read.bytes.equals(bytes)).toBe(true);
      },
    );

    test('is repaired once when several writers store it again at once', async () => {
      const { cid, bytes } = await damaged(small, 'flip');
      await Promise.all(Array.from({ length: 8 }, () => putBlob(place.blobs, bytes, 'blake3')));
      expect((await readTo(cid)).bytes.equals(bytes)).toBe(true);
    });
  });
}
