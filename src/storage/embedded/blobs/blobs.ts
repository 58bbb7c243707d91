import type { Cid } from '../../../domain/integrity/identifiers/cid.ts';
import type { BlobContent, BlobStore, ByteRange, StagedBlob } from '../../../domain/integrity/ports.ts';
import { type BlobPlaces, blobFile } from './blob-places.ts';
import { fileSize, readFileRange } from './file-content.ts';
import { stagedFile } from './staged-file.ts';

/** Blobs as files, named by their multihash. A file appears under its name whole, and never changes. */
export class EmbeddedBlobs implements BlobStore {
  readonly #places: BlobPlaces;

  constructor(places: BlobPlaces) {
    this.#places = places;
  }

  async stage(): Promise<StagedBlob> {
    const places = this.#places;
    return stagedFile(places.staging, {
      root: places.blobs,
      fileOf: (cid: Cid) => blobFile(places, cid),
    });
  }

  async size(cid: Cid): Promise<number | undefined> {
    return await fileSize(blobFile(this.#places, cid));
  }

  async read(cid: Cid, range?: ByteRange): Promise<BlobContent | undefined> {
    return await readFileRange(blobFile(this.#places, cid), range);
  }
}
