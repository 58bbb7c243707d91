import { Writable } from 'node:stream';
import { ObjectId } from 'mongodb';
import type { StagedBytes } from '../../../domain/bucket.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { stagedBytes } from '../../staged-bytes.ts';
import { inTime, isDuplicate, storageError } from '../errors.ts';
import { writeUnique } from '../unique-writes.ts';
import { type BucketFiles, chunkSize, removeUploads } from './bucket-files.ts';

/** A longer upload is refused, because its chunks would soon count as orphans. */
const uploadMs = 12 * 3_600_000;
/** A failed upload waits no longer for its clean-up. What stays is removed with the orphans. */
const cleanUpMs = 5_000;

/**
 * A file of GridFS. First its chunks are stored, which nobody sees. Then one insert adds the file under its name. A small
 * file contains its bytes, and has no chunks.
 */
export function stagedFile(bucket: BucketFiles): StagedBytes {
  const { database, files, chunks } = bucket;
  const began = database.now().getTime();
  // The id contains the start of the upload by the server's clock.
  const _id = new ObjectId(ObjectId.generate(Math.floor(began / 1_000)));
  const writer = chunkWriter(bucket, _id);
  let isUncertain = false;

  async function insert(filename: string): Promise<'stored' | 'taken'> {
    const data = writer.whole();
    const fields = { _id, length: writer.size(), chunkSize, uploadDate: database.now(), filename };
    const file = data ? { ...fields, data } : fields;
    isUncertain = true;
    try {
      await writeUnique(filename, () => files.insertOne(file));
      return 'stored';
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      isUncertain = false;
      return 'taken';
    }
  }

  return stagedBytes({
    stream: writer.stream,
    async publish(filename, isIntact) {
      if (database.now().getTime() - began > uploadMs)
        throw new ServiceError(
          'unavailable',
          'The upload took too long. Send it faster, or in smaller blobs.',
        );
      while ((await inTime(insert(filename))) === 'taken') {
        const taken = await inTime(files.findOne({ filename }, { projection: { _id: 1 } }));
        // The driver repeats an insert whose answer was lost.
        if (taken?._id.equals(_id)) break;
        if (!isIntact || (await isIntact())) return 'known';
        if (taken) await inTime(removeUploads(bucket, [taken._id]));
      }
      return 'stored';
    },
    /** Keeps the chunks if the file may still appear, because its insert was sent and never answered. */
    async remove() {
      if (!isUncertain) await inTime(chunks.deleteMany({ files_id: _id }), cleanUpMs);
    },
    errorOf: storageError,
  });
}

const chunksAtOnce = 3;

/** Writes the chunks of a file. Some are sent while the next are collected. A small file has none and stays in memory. */
function chunkWriter({ chunks, wholeLimit }: BucketFiles, files_id: ObjectId) {
  let [size, sentChunks] = [0, 0];
  let parts: Uint8Array[] = [];
  let waiting = 0;
  let sent: Promise<void> = Promise.resolve();

  async function insert(data: Uint8Array): Promise<void> {
    const chunk = { _id: new ObjectId(), files_id, n: sentChunks++, data };
    // The driver repeats an insert whose answer was lost, and nobody else writes to this file.
    await inTime(chunks.insertOne(chunk)).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  }

  /** @param end bytes after it wait for more, because only the last chunk may be short. */
  async function send(end: number): Promise<void> {
    const bytes = Buffer.concat(parts);
    const inserts: Promise<void>[] = [];
    for (let at = 0; at < end; at += chunkSize)
      inserts.push(insert(bytes.subarray(at, Math.min(at + chunkSize, end))));
    parts = [bytes.subarray(end)];
    waiting -= end;
    await Promise.all(inserts);
  }

  const stream = new Writable({
    write(part: Uint8Array, _encoding, done) {
      parts.push(Uint8Array.from(part));
      waiting += part.length;
      size += part.length;
      if (waiting < chunksAtOnce * chunkSize) return done();
      const before = sent;
      sent = before.then(() => send(waiting - (waiting % chunkSize)));
      sent.catch(() => {});
      before.then(() => done(), done);
    },
    final(done) {
      if (size <= wholeLimit) return done();
      sent = sent.then(() => send(waiting));
      sent.then(() => done(), done);
    },
    destroy(error, done) {
      const end = () => done(error);
      sent.then(end, end);
    },
  });
  /** The bytes of a small file. */
  const whole = () => (size <= wholeLimit ? Buffer.concat(parts) : undefined);
  return { stream, size: () => size, whole };
}
