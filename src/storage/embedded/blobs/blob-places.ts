import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Cid, digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import { multihashes } from '../../../domain/integrity/identifiers/hashing.ts';

/** Where the files of a data folder are: blobs, results of exports, and both on their way in. */
export interface BlobPlaces {
  readonly blobs: string;
  readonly results: string;
  readonly staging: string;
}

export function blobPlacesIn(folder: string): BlobPlaces {
  return {
    blobs: join(folder, 'blobs'),
    results: join(folder, 'exports'),
    staging: join(folder, 'staging'),
  };
}

/** Makes the folders. What an earlier process left in staging is nobody's any more. */
export async function openBlobPlaces(folder: string): Promise<BlobPlaces> {
  const places = blobPlacesIn(folder);
  await rm(places.staging, { recursive: true, force: true });
  await mkdir(places.staging, { recursive: true, mode: 0o700 });
  await mkdir(places.blobs, { recursive: true, mode: 0o700 });
  await mkdir(places.results, { recursive: true, mode: 0o700 });
  await syncFolder(folder);
  return places;
}

export function blobFile({ blobs }: BlobPlaces, cid: Cid): string {
  const digest = digestHex(cid);
  const name = `${multihashes[cid.multihash].toString(16)}-${digest}`;
  return join(blobs, digest.slice(0, 2), digest.slice(2, 4), name);
}

export function resultFile({ results }: BlobPlaces, name: string): string {
  return join(results, name);
}

/** Makes the names durable by which a file is found below a folder. */
export async function syncNames(root: string, file: string): Promise<void> {
  for (let folder = dirname(file); folder.length >= root.length; folder = dirname(folder))
    await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
