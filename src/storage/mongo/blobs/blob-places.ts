import type { Collection, ObjectId } from 'mongodb';
import { type Cid, digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import { multihashes } from '../../../domain/integrity/identifiers/hashing.ts';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** GridFS's document of a file. It appears when the blob is committed, and makes it readable. */
export interface FileDocument {
  /** Its time says when the upload began, by the server's clock. */
  readonly _id: ObjectId;
  readonly filename: string;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
}

export interface ChunkDocument {
  readonly files_id: ObjectId;
  readonly n: number;
  readonly data: Uint8Array;
}

/** A bucket of GridFS: blobs, or results of exports. */
export type Bucket = 'blobs' | 'exports';

/** Where the files of a bucket are, and those on their way in: chunks without a file. */
export interface BlobPlaces {
  readonly bucket: Bucket;
  readonly database: Database;
  readonly files: Collection<FileDocument>;
  readonly chunks: Collection<ChunkDocument>;
}

const filesName = (bucket: Bucket) => `${bucket}.files`;
const chunksName = (bucket: Bucket) => `${bucket}.chunks`;

function bucketIndexes(bucket: Bucket): CollectionIndexes[] {
  return [
    {
      collection: filesName(bucket),
      indexes: [{ name: 'filename', key: { filename: 1 }, unique: true }],
    },
    {
      collection: chunksName(bucket),
      indexes: [{ name: 'files_id_n', key: { files_id: 1, n: 1 }, unique: true }],
    },
  ];
}

export const blobIndexes: readonly CollectionIndexes[] = bucketIndexes('blobs');
export const resultIndexes: readonly CollectionIndexes[] = bucketIndexes('exports');

export function blobPlaces(database: Database, bucket: Bucket = 'blobs'): BlobPlaces {
  return {
    bucket,
    database,
    files: database.collection<FileDocument>(filesName(bucket)),
    chunks: database.collection<ChunkDocument>(chunksName(bucket)),
  };
}

export function blobName(cid: Cid): string {
  return `${multihashes[cid.multihash].toString(16)}-${digestHex(cid)}`;
}
