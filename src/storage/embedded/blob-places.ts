import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Cid, digestHex, multihashes } from '../../domain/integrity/cid.ts';

/** Where the blobs of a data folder are, and where those on their way in are. */
export interface BlobPlaces {
  readonly blobs: string;
  readonly staging: string;
}

/** Makes the folders. What an earlier process left in staging is nobody's any more. */
export async function openBlobPlaces(folder: string): Promise<BlobPlaces> {
  const places = { blobs: join(folder, 'blobs'), staging: join(folder, 'staging') };
  await rm(places.staging, { recursive: true, force: true });
  await mkdir(places.staging, { recursive: true, mode: 0o700 });
  await mkdir(places.blobs, { recursive: true, mode: 0o700 });
  await syncFolder(folder);
  return places;
}

export function blobFile({ blobs }: BlobPlaces, cid: Cid): string {
  const digest = digestHex(cid);
  const name = `${multihashes[cid.multihash].toString(16)}-${digest}`;
  return join(blobs, digest.slice(0, 2), digest.slice(2, 4), name);
}

/** Makes the names durable by which a blob's file is found. */
export async function syncNames({ blobs }: BlobPlaces, file: string): Promise<void> {
  for (let folder = dirname(file); folder.length >= blobs.length; folder = dirname(folder))
    await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}
