import { messageOf, ServiceError } from '../../../domain/errors.ts';
import type { BlobContent, BlobStore } from '../../../domain/integrity/ports.ts';
import type { StoreContents } from '../../../domain/maintenance/fsck/ports.ts';
import { systemCode } from '../../file-errors.ts';
import type { BlobPlaces } from '../blobs/blob-places.ts';
import { embeddedBlobs } from '../blobs/blobs.ts';
import { embeddedExportResults } from '../jobs/export-results.ts';

/** The blobs of a folder, as they are. A file that the disk does not give back is damaged, whatever may be later. */
export function readBlobStore(places: BlobPlaces): BlobStore {
  const blobs = embeddedBlobs(places);
  return {
    stage: () => blobs.stage(),
    size: (cid) => withoutHope(() => blobs.size(cid)),
    read: (cid, range) => readWithoutHope(() => blobs.read(cid, range)),
  };
}

/** The results of a folder, in the same way. */
export function readResults(places: BlobPlaces): StoreContents['exportResults'] {
  const results = embeddedExportResults(places);
  return {
    names: () => results.names(),
    read: (name, range) => readWithoutHope(() => results.read(name, range)),
    remove: (name) => results.remove(name),
  };
}

export async function readWithoutHope(
  open: () => Promise<BlobContent | undefined>,
): Promise<BlobContent | undefined> {
  const content = await withoutHope(open);
  return content && { ...content, bytes: bytesWithoutHope(content.bytes) };
}

/** Asks the disk; its failures are damage. */
export async function withoutHope<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw hopeless(error);
  }
}

async function* bytesWithoutHope(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* bytes;
  } catch (error) {
    throw hopeless(error);
  }
}

function hopeless(error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  if (systemCode(cause) === undefined) return error;
  return new ServiceError('unavailable', `The disk does not give it back: ${messageOf(cause)}.`, { cause });
}
