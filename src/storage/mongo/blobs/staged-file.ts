import { ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import { StagedUpload } from '../../staged-upload.ts';
import { inTime, isDuplicate, storageError } from '../errors.ts';
import { writeUnique } from '../unique-writes.ts';
import { removeUploads } from './blob-orphans.ts';
import { type BlobPlaces, chunkSize } from './blob-places.ts';
import { chunkWriter } from './chunk-writer.ts';

/** A longer upload is refused, because its chunks would soon count as orphans. */
const uploadMs = 12 * 3_600_000;
/** A failed upload waits no longer for its clean-up. What stays is removed with the orphans. */
const cleanUpMs = 5_000;

/**
 * A file of GridFS. First its chunks are stored, which nobody sees. Then one insert adds the file under its name. A small
 * file contains its bytes, and has no chunks.
 * @param isIntact whether the file that has the name is good. A damaged one is replaced. Default: it is good.
 */
export function stagedFile<Name>(
  places: BlobPlaces,
  nameOf: (name: Name) => string,
  isIntact: (name: Name) => Promise<boolean> = async () => true,
): StagedUpload<Name> {
  const { database, files, chunks } = places;
  const began = database.now().getTime();
  // The id contains the start of the upload by the server's clock.
  const _id = new ObjectId(ObjectId.generate(Math.floor(began / 1_000)));
  const writer = chunkWriter(places, _id);
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

  async function publish(name: Name): Promise<'stored' | 'known'> {
    const filename = nameOf(name);
    while ((await inTime(insert(filename))) === 'taken') {
      const taken = await inTime(files.findOne({ filename }, { projection: { _id: 1 } }));
      // The driver repeats an insert whose answer was lost.
      if (taken?._id.equals(_id)) break;
      if (await isIntact(name)) return 'known';
      if (taken) await inTime(removeUploads({ files, chunks }, [taken._id]));
    }
    return 'stored';
  }

  return new StagedUpload<Name>({
    stream: writer.stream,
    async publish(name) {
      if (database.now().getTime() - began > uploadMs) throwSlow();
      return await publish(name);
    },
    /** Keeps the chunks if the file may still appear, because its insert was sent and never answered. */
    async remove() {
      if (!isUncertain) await inTime(chunks.deleteMany({ files_id: _id }), cleanUpMs);
    },
    errorOf: storageError,
  });
}

function throwSlow(): never {
  throw new ServiceError('unavailable', 'The upload took too long. Send it faster, or in smaller blobs.');
}
