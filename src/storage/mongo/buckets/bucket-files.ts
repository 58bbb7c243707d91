import type { Collection, GridFSChunk, GridFSFile } from 'mongodb';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** The buckets: blobs by multihash, results of exports, and sealed contents. */
export const bucketNames = ['blobs', 'exports', 'sealed'] as const;
type BucketName = (typeof bucketNames)[number];

/** A file, which may contain its bytes instead of having chunks. */
export type StoredFile = GridFSFile & { readonly data?: Uint8Array };

/** The collections of a bucket. */
export interface BucketFiles {
  readonly bucket: BucketName;
  readonly database: Database;
  readonly files: Collection<StoredFile>;
  readonly chunks: Collection<GridFSChunk>;
  /** A file of at most so many bytes is one document. Negative if none is. */
  readonly wholeLimit: number;
}

const filesName = (bucket: BucketName) => `${bucket}.files`;
const chunksName = (bucket: BucketName) => `${bucket}.chunks`;

/** More than the driver's 255 KiB, because each chunk waits for a majority. */
export const chunkSize = 1 << 20;

const wholeLimits: Readonly<Record<BucketName, number>> = {
  blobs: -1,
  exports: 256 << 10,
  sealed: 256 << 10,
};

/** File names are unique. */
function indexesOf(bucket: BucketName): CollectionIndexes[] {
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

export const bucketIndexes: readonly CollectionIndexes[] = bucketNames.flatMap(indexesOf);

export function bucketFiles(database: Database, bucket: BucketName): BucketFiles {
  return {
    bucket,
    database,
    files: database.collection(filesName(bucket)),
    chunks: database.collection(chunksName(bucket)),
    wholeLimit: wholeLimits[bucket],
  };
}
