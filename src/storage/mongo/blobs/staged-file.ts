import { ObjectId } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import { StagedUpload } from '../../staged-upload.ts';
import { isDuplicate, storageError } from '../errors.ts';
import { writeUnique } from '../unique-writes.ts';
import type { BlobPlaces } from './blob-places.ts';
import { temporaryName } from './temporary-name.ts';

/** A longer upload is refused at its end: before its chunks count as orphans. */
const uploadMs = 12 * 3_600_000;

/** A file that is uploaded to GridFS under a temporary name. One update gives it its own name. */
export function stagedFile<Name>(
  { database, gridFs, files, chunks }: BlobPlaces,
  nameOf: (name: Name) => string,
): StagedUpload<Name> {
  const began = database.now().getTime();
  // The id tells when the upload began, by the server's clock.
  const _id = new ObjectId(ObjectId.generate(Math.floor(began / 1_000)));
  const temporary = temporaryName(_id);
  return new StagedUpload<Name>({
    stream: gridFs.openUploadStreamWithId(_id, temporary),
    async publish(name) {
      if (database.now().getTime() - began > uploadMs) refuseSlow();
      const filename = nameOf(name);
      try {
        await writeUnique(filename, () => gridFs.rename(_id, filename));
        return 'stored';
      } catch (error) {
        if (isDuplicate(error)) return 'known';
        throw error;
      }
    },
    /** A file whose rename was done although its answer was lost stays: somebody may have read it. */
    async remove() {
      await files.deleteOne({ _id, filename: temporary });
      if (await files.findOne({ _id }, { projection: { _id: 1 } })) return;
      await chunks.deleteMany({ files_id: _id });
    },
    errorOf: storageError,
  });
}

function refuseSlow(): never {
  throw new ServiceError('unavailable', 'The upload took too long. Send it faster, or in smaller blobs.');
}
