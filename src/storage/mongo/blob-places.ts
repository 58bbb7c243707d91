import type { Collection, ObjectId } from 'mongodb';
import { type Cid, digestHex, multihashes } from '../../domain/integrity/cid.ts';
import type { Database } from './database.ts';
import type { CollectionIndexes } from './indexes.ts';

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

/** Where blobs are, and those on their way in: chunks without a file. */
export interface BlobPlaces {
  readonly database: Database;
  readonly files: Collection<FileDocument>;
  readonly chunks: Collection<ChunkDocument>;
}

const filesName = 'blobs.files';
const chunksName = 'blobs.chunks';

export const blobIndexes: readonly CollectionIndexes[] = [
  { collection: filesName, indexes: [{ name: 'filename', key: { filename: 1 }, unique: true }] },
  { collection: chunksName, indexes: [{ name: 'files_id_n', key: { files_id: 1, n: 1 }, unique: true }] },
];

export function blobPlaces(database: Database): BlobPlaces {
  return {
    database,
    files: database.collection<FileDocument>(filesName),
    chunks: database.collection<ChunkDocument>(chunksName),
  };
}

export function blobName(cid: Cid): string {
  return `${multihashes[cid.multihash].toString(16)}-${digestHex(cid)}`;
}
