import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import type { BlobContent, BlobStore, ByteRange, StagedBlob } from '../../../domain/integrity/ports.ts';
import { type BlobPlaces, blobName } from './blob-places.ts';
import { findFile, readFileRange } from './file-content.ts';
import { stagedFile } from './staged-file.ts';

/** Blobs in GridFS, each a file that is named by its multihash, appears whole, and never changes. */
export class MongoBlobs implements BlobStore {
  readonly #places: BlobPlaces;

  constructor(places: BlobPlaces) {
    this.#places = places;
  }

  async stage(): Promise<StagedBlob> {
    return stagedFile(this.#places, blobName);
  }

  async size(cid: Cid): Promise<number | undefined> {
    return (await findFile(this.#places, blobName(cid)))?.length;
  }

  async read(cid: Cid, range?: ByteRange): Promise<BlobContent | undefined> {
    return await readFileRange(this.#places, blobName(cid), range);
  }
}
