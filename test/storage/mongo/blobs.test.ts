import { randomBytes } from 'node:crypto';
import type { Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TcpProxy } from '../../../bench/tcp-proxy.ts';
import { blobName } from '../../../src/domain/integrity/blobs/blob-names.ts';
import { verifiedBlobs } from '../../../src/domain/integrity/blobs/blob-store.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import type { BlobStore } from '../../../src/domain/integrity/ports.ts';
import {
  type BucketFiles,
  bucketFiles,
  bucketIndexes,
  sweepUploads,
} from '../../../src/storage/mongo/buckets/bucket-files.ts';
import { gridFsBucket, gridFsBuckets } from '../../../src/storage/mongo/buckets/gridfs-bucket.ts';
import type { Database, DatabaseAddress } from '../../../src/storage/mongo/database.ts';
import { openDatabase } from '../../../src/storage/mongo/open-database.ts';
import { bucketsContract } from '../../contract/buckets.ts';
import { describeMongo, newDatabase } from './database.ts';

const hourMs = 3_600_000;
const patience = { waitMs: 0, waiting: () => {} };

const blobsIn = (files: BucketFiles) => verifiedBlobs(gridFsBucket(files));

describeMongo('blobs in GridFS', () => {
  let database: Database;
  let places: BucketFiles;
  let blobs: BlobStore;

  beforeAll(async () => {
    database = await openDatabase(newDatabase(), bucketIndexes, patience);
    places = bucketFiles(database, 'blobs');
    blobs = blobsIn(places);
  });
  afterAll(async () => {
    await database.db.dropDatabase();
    await database[Symbol.asyncDispose]();
  });

  async function staged(bytes: Uint8Array, by = blobs) {
    const blob = await by.stage();
    await blob.write(bytes);
    return blob;
  }

  async function stored(bytes: Uint8Array) {
    const cid = cidOf(codecs.raw, bytes);
    expect(await (await staged(bytes)).commit(cid)).toBe('stored');
    return cid;
  }

  const chunkCount = async () => await places.chunks.countDocuments();
  const inHours = (hours: number) => new Date(database.now().getTime() + hours * hourMs);

  test('are stored once when twenty writers store the same at once', async () => {
    const bytes = randomBytes((2 << 20) + 5);
    const cid = cidOf(codecs.raw, bytes);
    const before = await chunkCount();
    const all = Array.from({ length: 20 }, async () => (await staged(bytes)).commit(cid));
    expect((await Promise.all(all)).toSorted()).toEqual([...Array(19).fill('known'), 'stored']);
    expect(await places.files.countDocuments({ filename: blobName(cid) })).toBe(1);
    expect(await chunkCount()).toBe(before + 3);
    const content = await blobs.read(cid);
    expect(Buffer.concat(await Array.fromAsync(content?.bytes ?? [])).equals(bytes)).toBe(true);
  });

  test('leave no chunks behind when they are discarded, before and after they are finished', async () => {
    const before = await chunkCount();
    await (await staged(randomBytes(3 << 20))).discard();
    const blob = await staged(randomBytes(3 << 20));
    await blob.finish();
    expect(await chunkCount()).toBe(before + 3);
    await blob.discard();
    expect(await chunkCount()).toBe(before);
  });

  test('are removed when their upload was interrupted a day ago, and not before', async () => {
    await sweepUploads(places, inHours(25));
    const before = await chunkCount();
    const cid = await stored(randomBytes(100));
    await (await staged(randomBytes(3 << 20))).finish();
    await sweepUploads(places, inHours(23));
    expect(await chunkCount()).toBe(before + 4);
    await sweepUploads(places, inHours(25));
    expect(await chunkCount()).toBe(before + 1);
    const content = await blobs.read(cid);
    expect(Buffer.concat(await Array.fromAsync(content?.bytes ?? []))).toHaveLength(100);
  });

  test('are not shown before they have their names', async () => {
    await (await staged(randomBytes(10))).finish();
    const names = await Array.fromAsync(gridFsBucket(places).names());
    expect(names.filter((name) => !/^[0-9a-f]{2}-/.test(name))).toEqual([]);
  });

  test('have no chunks when they are small and have other names than blobs', async () => {
    const exports = bucketFiles(database, 'exports');
    const { files, chunks } = exports;
    const results = gridFsBucket(exports);
    const [bytes, filename] = [randomBytes(100), 'small'];
    const result = await results.stage();
    await result.write(bytes);
    await result.commit(filename);
    expect(await chunks.countDocuments()).toBe(0);
    const content = await results.read(filename, { first: 90, last: 99 });
    expect(Buffer.concat(await Array.fromAsync(content?.bytes ?? []))).toEqual(bytes.subarray(90));
    await files.updateOne({ filename }, { $set: { data: Buffer.alloc(99) } } as object);
    const short = await results.read(filename);
    await expect(Array.fromAsync(short?.bytes ?? [])).rejects.toMatchObject({ code: 'damaged' });
  });

  test('are removed however many uploads there were', async () => {
    await sweepUploads(places, inHours(25));
    const before = await chunkCount();
    const all = Array.from({ length: 1_100 }, async (_, index) => {
      const blob = await staged(randomBytes(20));
      if (index % 11 === 0) await blob.finish();
      else await blob.commit(cidOf(codecs.raw, randomBytes(20)));
    });
    await Promise.all(all);
    expect(await chunkCount()).toBe(before + 1_100);
    await sweepUploads(places, inHours(25));
    expect(await chunkCount()).toBe(before + 1_000);
  });

  test('are refused when their upload took too long', async () => {
    const before = await chunkCount();
    const bytes = randomBytes(10);
    const late = blobsIn({ ...places, database: laterAfter(1, places.database, 13) });
    const blob = await staged(bytes, late);
    await expect(blob.commit(cidOf(codecs.raw, bytes))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await chunkCount()).toBe(before);
    expect(await blobs.size(cidOf(codecs.raw, bytes))).toBeUndefined();
  });

  test('are reported as damaged when a chunk is missing or short', async () => {
    const bytes = randomBytes((2 << 20) + 5);
    const cid = await stored(bytes);
    const file = await places.files.findOne({ filename: blobName(cid) });
    const last = { files_id: file?._id, n: 2 } as const;
    await places.chunks.updateOne(last as object, { $set: { data: Buffer.alloc(4) } });
    const short = await blobs.read(cid);
    await expect(Array.fromAsync(short?.bytes ?? [])).rejects.toMatchObject({ code: 'damaged' });
    await places.chunks.deleteOne(last as object);
    const missing = await blobs.read(cid);
    await expect(Array.fromAsync(missing?.bytes ?? [])).rejects.toMatchObject({ code: 'damaged' });
    const range = await blobs.read(cid, { first: 5, last: 1 << 20 });
    expect(
      Buffer.concat(await Array.fromAsync(range?.bytes ?? [])).equals(bytes.subarray(5, (1 << 20) + 1)),
    ).toBe(true);
  });

  bucketsContract(async () => ({
    buckets: gridFsBuckets(database),
    async damage(kind, filename, how) {
      const { files, chunks } = bucketFiles(database, collections[kind]);
      const change = (data: Buffer) => (how === 'flip' ? flipped(data) : data.subarray(0, -1));
      const file = await files.findOne({ filename });
      if (file?.data) {
        await files.updateOne({ filename }, { $set: { data: change(Buffer.from(file.data)) } } as object);
        return;
      }
      const order = { n: how === 'flip' ? 1 : -1 } as const;
      const [chunk] = await chunks.find({ files_id: file?._id }).sort(order).limit(1).toArray();
      const data = change(Buffer.from(chunk?.data as unknown as Uint8Array));
      await chunks.updateOne({ _id: chunk?._id } as object, { $set: { data } } as object);
    },
    [Symbol.asyncDispose]: async () => undefined,
  }));

  test('stay when the driver repeats an insert', async () => {
    const bytes = randomBytes(100);
    const cid = cidOf(codecs.raw, bytes);
    const blob = await staged(
      bytes,
      blobsIn({ ...places, files: repeating(places.files), chunks: repeating(places.chunks) }),
    );
    expect(await blob.commit(cid)).toBe('stored');
    const content = await blobs.read(cid);
    expect(Buffer.concat(await Array.fromAsync(content?.bytes ?? []))).toEqual(bytes);
  });

  test('stay when they were stored although the answer was lost', async () => {
    const address = newDatabase();
    await using proxy = await TcpProxy.before(address.url);
    const url = `${proxy.url(address.url)}?serverSelectionTimeoutMS=500&socketTimeoutMS=500`;
    const throughProxy: DatabaseAddress = { url, name: database.db.databaseName };
    await using cut = await openDatabase(throughProxy, bucketIndexes, patience);
    const bytes = randomBytes(100);
    const cid = cidOf(codecs.raw, bytes);
    const blob = await staged(bytes, blobsIn(bucketFiles(cut, 'blobs')));
    await blob.finish();
    proxy.loseAnswers();
    await expect(blob.commit(cid)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 });
    await proxy.cut();
    await proxy.restore();
    await blob.discard();
    await expect.poll(() => blobs.size(cid)).toBe(100);
    const content = await blobs.read(cid);
    expect(Buffer.concat(await Array.fromAsync(content?.bytes ?? []))).toEqual(bytes);
    expect(await (await staged(bytes)).commit(cid)).toBe('known');
  });
});

const collections = { blobs: 'blobs', exportResults: 'exports', sealedContents: 'sealed' } as const;

function flipped(bytes: Buffer): Buffer {
  bytes.writeUInt8(bytes.readUInt8() ^ 1);
  return bytes;
}

/** A collection whose inserts are done twice, as the driver does when an answer is lost. */
function repeating<Of extends Document>(collection: Collection<Of>): Collection<Of> {
  return Object.create(collection, {
    insertOne: {
      value: async (document: OptionalUnlessRequiredId<Of>) => {
        await collection.insertOne(document);
        return await collection.insertOne(document);
      },
    },
  });
}

/** A database whose clock goes on by hours after it was asked some times. */
function laterAfter(times: number, database: Database, hours: number): Database {
  let asked = 0;
  return Object.create(database, {
    now: { value: () => new Date(database.now().getTime() + (asked++ < times ? 0 : hours * hourMs)) },
  });
}
