import { isIntact, verifiedBlobs } from '../../../domain/integrity/blobs/verified-blobs.ts';
import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import type { BlobStore, ByteRange } from '../../../domain/integrity/ports.ts';
import { blobName } from '../../blob-names.ts';
import type { BlobPlaces } from './blob-places.ts';
import { findFile, readFileRange } from './file-content.ts';
import { stagedFile } from './staged-file.ts';

/** Files in GridFS. Each appears whole under its name, and never changes. */
export function storedFiles<Name>(
  places: BlobPlaces,
  nameOf: (name: Name) => string,
  isIntact?: (name: Name) => Promise<boolean>,
) {
  return {
    stage: async () => stagedFile(places, nameOf, isIntact),
    size: async (name: Name) => (await findFile(places, nameOf(name)))?.length,
    read: (name: Name, range?: ByteRange) => readFileRange(places, nameOf(name), range),
  };
}

/** Blobs as files, named by their multihash. */
export function mongoBlobs(places: BlobPlaces): BlobStore {
  const blobs: BlobStore = verifiedBlobs(storedFiles<Cid>(places, blobName, (cid) => isIntact(blobs, cid)));
  return blobs;
}
