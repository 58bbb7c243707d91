import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bucket, type Buckets, smallContentBytes } from '../../src/domain/bucket.ts';
import { blobName } from '../../src/domain/integrity/blobs/blob-names.ts';
import { verifiedBlobs } from '../../src/domain/integrity/blobs/blob-store.ts';
import { type Cid, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import type { MultihashName } from '../../src/domain/integrity/identifiers/hashing.ts';
import type { BlobStore, ByteRange } from '../../src/domain/integrity/ports.ts';
import { blobStoreContract } from './blob-store.ts';
import { putBlob } from './filled-store.ts';

type Kind = keyof Buckets;
type Damage = 'flip' | 'truncate';

export interface OpenedBuckets extends AsyncDisposable {
  readonly buckets: Buckets;
  /** Changes stored bytes: inverts the first one, or cuts off the last one. */
  damage(kind: Kind, name: string, how: Damage): Promise<void>;
}

const kinds: readonly Kind[] = ['blobs', 'exportResults', 'sealedContents'];

/** What all buckets do, wherever they are. They are left empty or filled: each test has names and bytes of its own. */
export function bucketsContract(open: () => Promise<OpenedBuckets>): void {
  describe.each(kinds)('the bucket %s', (kind) => {
    let place: OpenedBuckets;
    let bucket: Bucket;

    beforeAll(async () => {
      place = await open();
      bucket = place.buckets[kind];
    });
    afterAll(() => place[Symbol.asyncDispose]());

    // Blobs are the same code on every bucket, and all buckets of a place are the same code.
    if (kind === 'blobs') {
      blobStoreContract(async () => ({
        blobs: verifiedBlobs(bucket),
        [Symbol.asyncDispose]: async () => undefined,
      }));
      damagedBlobsContract(() => ({
        blobs: verifiedBlobs(bucket),
        damage: (name, how) => place.damage(kind, name, how),
      }));
    }

    const newName = () => `${randomUUID()}.${randomUUID()}`;

    async function committed(chunks: readonly Uint8Array[], name = newName()): Promise<string> {
      const staged = await bucket.stage();
      for (const chunk of chunks) await staged.write(chunk);
      await staged.commit(name);
      return name;
    }

    async function bytesOf(name: string, range?: ByteRange): Promise<Buffer | undefined> {
      await using content = await bucket.read(name, range);
      return content && Buffer.concat(await Array.fromAsync(content.bytes));
    }

    test('reads what was committed, whole and in parts', async () => {
      const chunks = [randomBytes(10), randomBytes(1_500_000), randomBytes(3)];
      const all = Buffer.concat(chunks);
      const name = await committed(chunks);
      expect(all.equals((await bytesOf(name)) ?? Buffer.alloc(0))).toBe(true);
      expect(await bytesOf(name, { first: 5, last: 5 })).toEqual(all.subarray(5, 6));
      const tail = await bytesOf(name, { first: 700_000, last: all.length - 1 });
      expect(all.subarray(700_000).equals(tail ?? Buffer.alloc(0))).toBe(true);
      await using content = await bucket.read(name, { first: 0, last: 0 });
      expect(content?.size).toBe(all.length);
      expect(await bucket.size(name)).toBe(all.length);
    });

    test('reads several small contents at once, without those that are missing or too large', async () => {
      const sizes = [0, 1, 1_000, 1_001];
      const names = await Promise.all(sizes.map((size) => committed([randomBytes(size)])));
      const found = await bucket.readSmall([...names, newName(), ...names.slice(1, 2)], 1_000);
      expect(found.map((bytes) => bytes?.length)).toEqual([0, 1, 1_000, undefined, undefined, 1]);
      expect(Buffer.from(found[2] ?? [])).toEqual(await bytesOf(names[2] ?? ''));
      expect(await bucket.readSmall([], 1_000)).toEqual([]);
    });

    test('stores several small contents at once, unless their names are taken', async () => {
      const sizes = [0, 1, smallContentBytes];
      const contents = sizes.map((size) => ({ name: newName(), bytes: randomBytes(size) }));
      const taken = { name: await committed([randomBytes(5)]), bytes: randomBytes(5) };
      const outcomes = await bucket.putSmall([...contents, taken]);
      expect(outcomes).toEqual(['stored', 'stored', 'stored', 'known']);
      for (const { name, bytes } of contents)
        expect(bytes.equals((await bytesOf(name)) ?? Buffer.of(1))).toBe(true);
      expect(await bucket.putSmall(contents)).toEqual(['known', 'known', 'known']);
      expect(await bucket.putSmall([])).toEqual([]);
    });

    test('shows nothing unfinished or discarded', async () => {
      const [name, staged] = [newName(), await bucket.stage()];
      await staged.write(randomBytes(2_000_000));
      expect(await bytesOf(name)).toBeUndefined();
      await staged.discard();
      expect(await bytesOf(name)).toBeUndefined();
      expect(await Array.fromAsync(bucket.names())).not.toContain(name);
    });

    test('lists names without removed contents', async () => {
      const [one, two] = [await committed([randomBytes(10)]), await committed([randomBytes(10)])];
      const listed = await Array.fromAsync(bucket.names());
      expect(listed).toEqual(expect.arrayContaining([one, two]));
      await bucket.remove(one);
      await bucket.remove(one);
      expect(await bytesOf(one)).toBeUndefined();
      expect(await Array.fromAsync(bucket.names())).not.toContain(one);
      expect(await bytesOf(two)).toHaveLength(10);
    });

    test('shows its contents to no other bucket', async () => {
      const name = await committed([randomBytes(10)]);
      for (const other of kinds.filter((one) => one !== kind)) {
        expect(await place.buckets[other].read(name)).toBeUndefined();
        expect(await Array.fromAsync(place.buckets[other].names())).not.toContain(name);
      }
    });
  });
}

interface DamagedBlobs {
  readonly blobs: BlobStore;
  damage(name: string, how: Damage): Promise<void>;
}

/** What every BlobStore does with blobs whose stored bytes have changed. */
function damagedBlobsContract(open: () => DamagedBlobs): void {
  describe('a damaged blob', () => {
    let place: DamagedBlobs;
    beforeAll(() => {
      place = open();
    });

    async function damaged(size: number, how: Damage, multihash: MultihashName = 'blake3') {
      const bytes = randomBytes(size);
      const cid = await putBlob(place.blobs, bytes, multihash);
      await place.damage(blobName(cid), how);
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

    test('is not among small blobs that are read at once', async () => {
      const { cid } = await damaged(small, 'flip');
      const sound = await putBlob(place.blobs, randomBytes(small), 'sha2-256');
      const found = await place.blobs.readSmall([cid, sound], small);
      expect(found.map((bytes) => bytes?.length)).toEqual([undefined, small]);
    });

    test('is repaired once when several writers store it again at once', async () => {
      const { cid, bytes } = await damaged(small, 'flip');
      await Promise.all(Array.from({ length: 8 }, () => putBlob(place.blobs, bytes, 'blake3')));
      expect((await readTo(cid)).bytes.equals(bytes)).toBe(true);
    });
  });
}
