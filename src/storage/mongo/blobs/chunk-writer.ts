import { Writable } from 'node:stream';
import { ObjectId } from 'mongodb';
import { inTime, isDuplicate } from '../errors.ts';
import { type BlobPlaces, chunkSize } from './blob-places.ts';

const chunksAtOnce = 3;

/** Writes the chunks of a file. Some are sent while the next are collected. A small file has none and stays in memory. */
export function chunkWriter({ chunks, wholeLimit }: BlobPlaces, files_id: ObjectId) {
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
