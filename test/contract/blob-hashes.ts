import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blobsWithDigest } from '../../src/domain/integrity/blobs/blob-hashes.ts';
import { blobName } from '../../src/domain/integrity/blobs/blob-names.ts';
import {
  givesWay,
  type HashingPorts,
  hashDue,
  noteOlderBlobs,
} from '../../src/domain/integrity/blobs/hash-unhashed.ts';
import { storeBlob } from '../../src/domain/integrity/blobs/upload.ts';
import { cidOf, codecs, digestHex } from '../../src/domain/integrity/identifiers/cid.ts';
import { digestsHasher } from '../../src/domain/integrity/identifiers/hashing.ts';
import type { PlannedStore } from '../../src/storage/store.ts';

type Stores = Pick<PlannedStore, 'blobs' | 'blobHashing' | typeof Symbol.asyncDispose>;

const hashHere: HashingPorts['hash'] = async (bytes, size, further) => {
  const hasher = digestsHasher(size, further);
  for await (const chunk of bytes) hasher.update(chunk);
  return hasher.digests();
};

/** What every store knows of the digests of its blobs. */
export function blobHashesContract(open: () => Promise<Stores>): void {
  describe('the hashes of blobs', () => {
    let stores: Stores;
    let ports: HashingPorts;

    beforeAll(async () => {
      stores = await open();
      ports = { ...stores.blobHashing, hash: hashHere };
    });
    afterAll(async () => {
      await stores[Symbol.asyncDispose]();
    });

    const large = 1 << 20;
    const put = async (bytes: Uint8Array, multihash: 'blake3' | 'sha2-256' = 'blake3') =>
      (await storeBlob(stores.blobs, [bytes] as never, { multihash }, { bytes: 1 << 30, setting: null })).cid;
    const hexOf = (algorithm: string, ...parts: (string | Uint8Array)[]) =>
      parts.reduce((hash, part) => hash.update(part), createHash(algorithm)).digest('hex');
    const found = async (hash: Parameters<typeof blobsWithDigest>[1], hex: string) =>
      (await blobsWithDigest(ports.hashes, hash, hex)).map(({ size }) => size);
    const hashAll = async (given = ports) => {
      while ((await hashDue(given)) > 0);
    };
    const isWaiting = async (bytes: Uint8Array) => {
      const { records } = await stores.blobHashing.unhashed.page('key', [], { after: null, limit: 1_000 });
      return records.some(({ name }) => name === blobName(cidOf(codecs.raw, bytes)));
    };

    async function expectFound(bytes: Buffer): Promise<void> {
      const { length } = bytes;
      expect(await found('blake3', digestHex(cidOf(codecs.raw, bytes)))).toEqual([length]);
      expect(await found('sha256', hexOf('sha256', bytes))).toEqual([length]);
      expect(await found('sha512', hexOf('sha512', bytes).toUpperCase())).toEqual([length]);
      expect(await found('git', hexOf('sha1', `blob ${length}\0`, bytes))).toEqual([length]);
      expect(await found('md5', hexOf('md5', bytes))).toEqual([]);
    }

    test('a small blob is found by each digest of its bytes as soon as it is stored', async () => {
      const bytes = randomBytes(300);
      await put(bytes);
      await expectFound(bytes);
      const other = randomBytes(300);
      await put(other, 'sha2-256');
      await expectFound(other);
    });

    test('a part of a digest, or another one, finds nothing', async () => {
      const bytes = randomBytes(30);
      await put(bytes);
      const hex = hexOf('sha256', bytes);
      for (const wrong of [hex.slice(0, 32), `${hex}00`, hex.replace(/./, 'x'), hexOf('sha256', hex), ''])
        expect(await found('sha256', wrong)).toEqual([]);
      expect(await found('sha512', hex)).toEqual([]);
    });

    test('a large blob is noted with it, and hashed afterwards by one of those who try', async () => {
      const bytes = randomBytes(large);
      await put(bytes);
      expect(await isWaiting(bytes)).toBe(true);
      await Promise.all([hashAll(), hashAll()]);
      await expectFound(bytes);
      expect(await isWaiting(bytes)).toBe(false);
    });

    test('hashing gives way to uploads until a second passes without one, for half a minute at most', async () => {
      const from = ports.now().getTime();
      const portsAt = (seconds: number) => ({ ...ports, now: () => new Date(from + seconds * 1_000) });
      const note = async (seconds: number) => {
        const at = from + seconds * 1_000;
        await ports.unhashed.insert([{ name: `${seconds}`, dueAt: at, notedAt: at }]);
      };
      for (let seconds = 1; seconds <= 40; seconds += 1) await note(seconds);
      expect(await givesWay(portsAt(20.5))).toBe(true);
      expect(await givesWay(portsAt(40.5))).toBe(false);
      for (let seconds = 1; seconds <= 20; seconds += 1) await ports.unhashed.remove(`${seconds}`);
      expect(await givesWay(portsAt(40.5))).toBe(true);
      expect(await givesWay(portsAt(41))).toBe(false);
      for (let seconds = 21; seconds <= 40; seconds += 1) await ports.unhashed.remove(`${seconds}`);
    });

    test('a blob that was noted and never stored is left, and hashed when it comes', async () => {
      const bytes = randomBytes(large);
      const at = ports.now().getTime();
      const name = blobName(cidOf(codecs.raw, bytes));
      await stores.blobHashing.unhashed.insert([{ name, dueAt: at, notedAt: at }]);
      await hashAll();
      expect(await isWaiting(bytes)).toBe(true);
      await put(bytes);
      const later = { ...ports, now: () => new Date(ports.now().getTime() + 120_000) };
      await hashAll(later);
      await expectFound(bytes);
    });

    test('blobs of an older version get their hashes, also a hash that was turned on later', async () => {
      const [old, known] = [randomBytes(100), randomBytes(100)];
      const staged = await stores.blobHashing.bucket.stage();
      await staged.write(old);
      await staged.commit(blobName(cidOf(codecs.raw, old)));
      await put(known);
      await noteOlderBlobs(ports);
      await hashAll();
      await expectFound(old);
      const md5 = { ...ports, further: ['sha512', 'git', 'md5'] } as const;
      await noteOlderBlobs(md5);
      await hashAll(md5);
      for (const bytes of [old, known]) {
        expect(await found('md5', hexOf('md5', bytes))).toEqual([100]);
        expect(await found('sha512', hexOf('sha512', bytes))).toEqual([100]);
      }
      await noteOlderBlobs(md5);
      expect(await hashDue(md5)).toBe(0);
    });

    test('bytes that do not hash to their name give no digests', async () => {
      const [right, wrong] = [randomBytes(100), randomBytes(100)];
      const staged = await stores.blobHashing.bucket.stage();
      await staged.write(wrong);
      const name = blobName(cidOf(codecs.raw, right));
      await staged.commit(name);
      const at = ports.now().getTime();
      await stores.blobHashing.unhashed.insert([{ name, dueAt: at, notedAt: at }]);
      await hashAll();
      expect(await found('sha256', hexOf('sha256', wrong))).toEqual([]);
      expect(await isWaiting(right)).toBe(false);
    });
  });
}
