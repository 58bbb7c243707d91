import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cidOf, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import type { BlobContent, BlobStore, ByteRange } from '../../src/domain/integrity/ports.ts';
import { runs } from '../property-runs.ts';

interface Stores extends AsyncDisposable {
  readonly blobs: BlobStore;
}

/** What every BlobStore does. It is left empty or filled: each test has bytes of its own. */
export function blobStoreContract(open: () => Promise<Stores>): void {
  describe('a blob store', () => {
    let stores: Stores;
    let blobs: BlobStore;

    beforeAll(async () => {
      stores = await open();
      blobs = stores.blobs;
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    async function staged(...chunks: Uint8Array[]) {
      const blob = await blobs.stage();
      for (const chunk of chunks) await blob.write(chunk);
      return blob;
    }

    async function stored(bytes: Uint8Array) {
      const cid = cidOf(codecs.raw, bytes);
      expect(await (await staged(bytes)).commit(cid)).toBe('stored');
      return cid;
    }

    async function readable(cid: ReturnType<typeof makeCid>, range?: ByteRange): Promise<Buffer | undefined> {
      const content = await blobs.read(cid, range);
      return content && (await collected(content));
    }

    test('returns bytes of any size, written in chunks of any size', async () => {
      const sizes = [0, 1, 65_535, 65_536, 65_537, 1 << 20, (1 << 20) + 65_536, (3 << 20) + 1];
      const size = fc.oneof(fc.constantFrom(...sizes), fc.nat({ max: 4 << 20 }));
      const chunk = fc.oneof(
        fc.constantFrom(1_000, 65_536, 1 << 20, 5 << 20),
        fc.integer({ min: 500, max: 2 << 20 }),
      );
      await fc.assert(
        fc.asyncProperty(size, chunk, async (length, step) => {
          const bytes = randomBytes(length + 16);
          const blob = await blobs.stage();
          for (let at = 0; at < bytes.length; at += step) {
            const part = Uint8Array.from(bytes.subarray(at, at + step));
            await blob.write(part);
            part.fill(0);
          }
          const cid = cidOf(codecs.raw, bytes);
          expect(await blob.commit(cid)).toBe('stored');
          expect(await blobs.size(cid)).toBe(bytes.length);
          expect((await readable(cid))?.equals(bytes)).toBe(true);
        }),
        { numRuns: runs(25) },
      );
    });

    test('stores the empty blob', async () => {
      const cid = cidOf(codecs.raw, new Uint8Array());
      await (await staged()).commit(cid);
      expect(await blobs.size(cid)).toBe(0);
      expect(await readable(cid)).toEqual(Buffer.alloc(0));
    });

    test('reports a blob as known the second time', async () => {
      const bytes = randomBytes(100);
      const cid = await stored(bytes);
      expect(await (await staged(bytes)).commit(cid)).toBe('known');
      expect(await readable(cid)).toEqual(bytes);
    });

    test('accepts the same blob many times at once', async () => {
      const bytes = randomBytes(200_000);
      const cid = cidOf(codecs.raw, bytes);
      const all = Array.from({ length: 8 }, async () => (await staged(bytes)).commit(cid));
      expect(await Promise.all(all)).toContain('stored');
      expect(await readable(cid)).toEqual(bytes);
    });

    test('finds a blob by its multihash under any codec', async () => {
      const bytes = randomBytes(100);
      const cid = await stored(bytes);
      expect(await readable(makeCid(codecs.jcs, cid.digest))).toEqual(bytes);
      expect(await readable(makeCid(codecs.raw, cid.digest, 'sha2-256'))).toBeUndefined();
    });

    test('has nothing under an unknown name', async () => {
      const cid = cidOf(codecs.raw, randomBytes(10));
      expect(await blobs.size(cid)).toBeUndefined();
      expect(await blobs.read(cid)).toBeUndefined();
    });

    test('shows nothing before commit and nothing discarded', async () => {
      const bytes = randomBytes(100);
      const cid = cidOf(codecs.raw, bytes);
      const blob = await staged(bytes);
      expect(await blobs.size(cid)).toBeUndefined();
      await blob.finish();
      expect(await blobs.size(cid)).toBeUndefined();
      await blob.discard();
      await blob.discard();
      expect(await blobs.size(cid)).toBeUndefined();
    });

    test('keeps a blob that is discarded after its commit', async () => {
      const bytes = randomBytes(100);
      const cid = cidOf(codecs.raw, bytes);
      const blob = await staged(bytes);
      await blob.commit(cid);
      await blob.discard();
      expect(await readable(cid)).toEqual(bytes);
    });

    test('keeps many finished blobs waiting for their commit', async () => {
      const all = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const bytes = randomBytes(1_000 + index);
          const blob = await staged(bytes);
          await blob.finish();
          await blob.finish();
          return { blob, bytes, cid: cidOf(codecs.raw, bytes) };
        }),
      );
      for (const { blob, cid } of all) expect(await blob.commit(cid)).toBe('stored');
      for (const { bytes, cid } of all) expect(await readable(cid)).toEqual(bytes);
    });

    test('refuses bytes after the blob is finished', async () => {
      const blob = await staged(randomBytes(10));
      await blob.finish();
      await expect(blob.write(randomBytes(10))).rejects.toThrow();
      await blob.discard();
    });

    test('reads any range', async () => {
      const bytes = randomBytes(700_000);
      const cid = await stored(bytes);
      const byte = fc.nat({ max: bytes.length - 1 });
      await fc.assert(
        fc.asyncProperty(byte, byte, async (one, other) => {
          const range = { first: Math.min(one, other), last: Math.max(one, other) };
          const content = await blobs.read(cid, range);
          expect(content?.size).toBe(bytes.length);
          const read = content && (await collected(content));
          expect(read?.equals(bytes.subarray(range.first, range.last + 1))).toBe(true);
        }),
        { numRuns: runs(30) },
      );
    });

    test('can stop early, and can be disposed of before and after reading', async () => {
      const bytes = randomBytes(2 << 20);
      const cid = await stored(bytes);
      const left = (await blobs.read(cid)) as BlobContent;
      for await (const chunk of left.bytes) {
        expect(bytes.subarray(0, chunk.length).equals(chunk)).toBe(true);
        break;
      }
      await left[Symbol.asyncDispose]();
      const unread = (await blobs.read(cid)) as BlobContent;
      await unread[Symbol.asyncDispose]();
      await unread[Symbol.asyncDispose]();
      const whole = (await blobs.read(cid)) as BlobContent;
      expect((await collected(whole)).equals(bytes)).toBe(true);
      await whole[Symbol.asyncDispose]();
    });
  });
}

async function collected(content: BlobContent): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content.bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
