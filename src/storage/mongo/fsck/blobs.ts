import { ObjectId } from 'mongodb';
import type { BlobEntry } from '../../../domain/maintenance/contents.ts';
import type { Unreadable } from '../../../domain/maintenance/problems.ts';
import { cidOfBlobName } from '../../blob-names.ts';
import type { BlobPlaces } from '../blobs/blob-places.ts';
import { readFileRange } from '../blobs/file-content.ts';
import { pagesByKey } from './pages.ts';

const pageFiles = 1_000;

/** Every complete file of the bucket. */
export async function* readBlobs(places: BlobPlaces): AsyncGenerator<BlobEntry | Unreadable> {
  const first = ObjectId.createFromTime(0);
  for await (const page of pagesByKey(places.files, { first, limit: pageFiles })) {
    for (const { _id, filename } of page) {
      const cid = cidOfBlobName(String(filename));
      if (cid) yield { cid, read: () => readFileRange(places, filename) };
      else yield { id: String(_id), problem: `The file "${filename}" is not a blob` };
    }
  }
}
