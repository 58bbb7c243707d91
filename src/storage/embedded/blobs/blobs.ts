import { verifiedBlobs } from '../../../domain/integrity/blobs/verified-blobs.ts';
import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import type { BlobStore, ByteRange } from '../../../domain/integrity/ports.ts';
import { type BlobPlaces, blobFile } from './blob-places.ts';
import { fileSize, readFileRange } from './file-content.ts';
import { stagedFile } from './staged-file.ts';

/** Files below the folder `root`. Each appears whole under its name, and never changes. */
export function storedFiles<Name>(staging: string, root: string, fileOf: (name: Name) => string) {
  return {
    stage: async () => stagedFile(staging, root, fileOf),
    size: (name: Name) => fileSize(fileOf(name)),
    read: (name: Name, range?: ByteRange) => readFileRange(fileOf(name), range),
  };
}

/** Blobs as files, named by their multihash. */
export function embeddedBlobs(places: BlobPlaces): BlobStore {
  return verifiedBlobs(storedFiles(places.staging, places.blobs, (cid: Cid) => blobFile(places, cid)));
}
