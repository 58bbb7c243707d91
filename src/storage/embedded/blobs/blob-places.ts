import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Cid, digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import { blobName } from '../../blob-names.ts';

/** The folders for blobs, export results, sealed contents, and files that are still being written. */
export interface BlobPlaces {
  readonly blobs: string;
  readonly results: string;
  readonly sealed: string;
  readonly staging: string;
}

export function blobPlacesIn(folder: string): BlobPlaces {
  return {
    blobs: join(folder, 'blobs'),
    results: join(folder, 'exports'),
    sealed: join(folder, 'sealed'),
    staging: join(folder, 'staging'),
  };
}

/** Creates the folders and removes what an earlier process left in staging. */
export async function openBlobPlaces(folder: string): Promise<BlobPlaces> {
  const places = blobPlacesIn(folder);
  await rm(places.staging, { recursive: true, force: true });
  for (const place of Object.values(places)) await mkdir(place, { recursive: true, mode: 0o700 });
  await syncFolder(folder);
  return places;
}

export function blobFile({ blobs }: BlobPlaces, cid: Cid): string {
  const digest = digestHex(cid);
  return join(blobs, digest.slice(0, 2), digest.slice(2, 4), blobName(cid));
}

/** Syncs the folders from the file up to `root`, so that its name is durable. */
export async function syncNames(root: string, file: string): Promise<void> {
  for (let folder = dirname(file); folder.length >= root.length; folder = dirname(folder))
    await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
