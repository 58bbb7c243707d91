import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import { StagedUpload } from '../../staged-upload.ts';
import { isDuplicate, storageError } from '../errors.ts';
import { writeUnique } from '../unique-writes.ts';
import { removeUploads } from './blob-orphans.ts';
import { type BlobPlaces, temporaryName } from './blob-places.ts';

/** A longer upload is refused, because its chunks would soon count as orphans. */
const uploadMs = 12 * 3_600_000;

/** The driver inserts the chunks of one write concurrently, but one write after the other. */
const writeBytes = 3 << 20;

/**
 * A file that is uploaded to GridFS under a temporary name. One update renames it.
 * @param isIntact whether the file that has the name is good. A damaged one is replaced. Default: it is good.
 */
export function stagedFile<Name>(
  { database, gridFs, files, chunks }: BlobPlaces,
  nameOf: (name: Name) => string,
  isIntact: (name: Name) => Promise<boolean> = async () => true,
): StagedUpload<Name> {
  const began = database.now().getTime();
  // The id contains the start of the upload by the server's clock.
  const _id = new ObjectId(ObjectId.generate(Math.floor(began / 1_000)));
  const temporary = temporaryName(_id);
  return new StagedUpload<Name>({
    stream: gathering(gridFs.openUploadStreamWithId(_id, temporary)),
    async publish(name) {
      if (database.now().getTime() - began > uploadMs) refuseSlow();
      const filename = nameOf(name);
      for (;;) {
        try {
          await writeUnique(filename, () => gridFs.rename(_id, filename));
          return 'stored';
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        const taken = await files.findOne({ filename }, { projection: { _id: 1 } });
        if (await isIntact(name)) return 'known';
        if (taken) await removeUploads({ files, chunks }, [taken._id]);
      }
    },
    /** Keeps a file that was renamed although the answer was lost, because somebody may have read it. */
    async remove() {
      await files.deleteOne({ _id, filename: temporary });
      if (await files.findOne({ _id }, { projection: { _id: 1 } })) return;
      await chunks.deleteMany({ files_id: _id });
    },
    errorOf: storageError,
  });
}

/** Joins small writes into large ones. One is sent while the next is collected. */
function gathering(upload: Writable): Writable {
  let parts: Uint8Array[] = [];
  let size = 0;
  let sent: Promise<void> = Promise.resolve();
  const send = async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    upload.write(Buffer.concat(parts), (error) => (error ? reject(error) : resolve()));
    parts = [];
    size = 0;
    await promise;
  };
  upload.on('error', () => {});
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      parts.push(Uint8Array.from(chunk));
      size += chunk.length;
      if (size < writeBytes) return done();
      const before = sent;
      sent = before.then(send);
      sent.catch(() => {});
      before.then(() => done(), done);
    },
    final(done) {
      const ended = sent.then(send).then(() => finished(upload.end()));
      ended.then(() => done(), done);
    },
    destroy(error, done) {
      upload.destroy();
      const end = () => done(error);
      sent.then(end, end);
    },
  });
}

function refuseSlow(): never {
  throw new ServiceError('unavailable', 'The upload took too long. Send it faster, or in smaller blobs.');
}
