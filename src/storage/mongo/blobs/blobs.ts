import type { BlobStore, ByteRange } from '../../../domain/integrity/ports.ts';
import { type BlobPlaces, blobName } from './blob-places.ts';
import { findFile, readFileRange } from './file-content.ts';
import { stagedFile } from './staged-file.ts';

/** Files in GridFS. Each appears whole under its name, and never changes. */
export function storedFiles<Name>(places: BlobPlaces, nameOf: (name: Name) => string) {
  return {
    stage: async () => stagedFile(places, nameOf),
    size: async (name: Name) => (await findFile(places, nameOf(name)))?.length,
    read: (name: Name, range?: ByteRange) => readFileRange(places, nameOf(name), range),
  };
}

/** Blobs as files, named by their multihash. */
export function mongoBlobs(places: BlobPlaces): BlobStore {
  return storedFiles(places, blobName);
}
