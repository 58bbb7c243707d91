import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { BlobEntry } from '../../../domain/maintenance/contents.ts';
import type { Unreadable } from '../../../domain/maintenance/problems.ts';
import { cidOfBlobName } from '../../blob-names.ts';
import { type BlobPlaces, blobFile } from '../blobs/blob-places.ts';
import { readFileRange } from '../blobs/file-content.ts';
import { fileReadError } from '../errors.ts';

/** Every file among the blobs, folder by folder. */
export async function* readBlobs(places: BlobPlaces): AsyncGenerator<BlobEntry | Unreadable> {
  for await (const path of filesBelow(places.blobs)) {
    const cid = cidOfBlobName(basename(path));
    if (cid && blobFile(places, cid) === path) yield { cid, read: () => readFileRange(path) };
    else
      yield {
        id: relative(places.blobs, path),
        problem: 'This file is not a blob, or is in the wrong folder',
      };
  }
}

export async function countBlobs(places: BlobPlaces): Promise<number> {
  let count = 0;
  for await (const _ of filesBelow(places.blobs)) count += 1;
  return count;
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw fileReadError(error);
  });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}
