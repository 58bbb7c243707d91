import { type Collection, type GridFSChunk, type GridFSFile, ObjectId } from 'mongodb';
import type { Database } from '../database.ts';
import type { CollectionIndexes } from '../indexes.ts';

/** The buckets: blobs by multihash, results of exports, and sealed contents. */
export const bucketNames = ['blobs', 'exports', 'sealed'] as const;
type BucketName = (typeof bucketNames)[number];

/** A file, which may contain its bytes instead of having chunks. */
export type StoredFile = GridFSFile & { readonly data?: Uint8Array };

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

/** File names are unique. */
function indexesOf(bucket: BucketName): CollectionIndexes[] {
  return [
    { collection: filesName(bucket), indexes: [{ name: 'filename', key: { filename: 1 }, unique: true }] },
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
    wholeLimit: bucket === 'blobs' ? -1 : 256 << 10,
  };
}

/** Longer than any upload may take (see `uploadMs`), so that no running upload loses its chunks. */
const orphanMs = 24 * 3_600_000;
const chunksAtOnce = 1_000;

interface MarkDocument {
  readonly _id: string;
  readonly upTo: ObjectId;
}

/** Removes interrupted uploads. Checks each upload once, when it is old enough. */
export async function sweepUploads(bucket: BucketFiles, now: Date): Promise<void> {
  const _id = `swept_uploads_of_${bucket.bucket}`;
  const settings = bucket.database.collection<MarkDocument>('settings');
  const after = (await settings.findOne({ _id }))?.upTo ?? ObjectId.createFromTime(0);
  for await (const { upTo, cutOff } of oldUploads(bucket, now, after)) {
    await removeUploads(bucket, cutOff);
    await settings.updateOne({ _id }, { $max: { upTo } }, { upsert: true });
  }
}

/** Removes the files first, because a later sweep removes chunks without a file. */
export async function removeUploads(
  { files, chunks }: Pick<BucketFiles, 'files' | 'chunks'>,
  ids: readonly ObjectId[],
): Promise<void> {
  if (ids.length === 0) return;
  await files.deleteMany({ _id: { $in: [...ids] } });
  await chunks.deleteMany({ files_id: { $in: [...ids] } });
}

/** Finds uploads that are too old to be running, page by page. `cutOff` are those without a complete file. */
export async function* oldUploads(
  { files, chunks }: BucketFiles,
  now: Date,
  after: ObjectId = ObjectId.createFromTime(0),
): AsyncGenerator<{ readonly upTo: ObjectId; readonly cutOff: readonly ObjectId[] }> {
  const end = ObjectId.createFromTime(Math.floor((now.getTime() - orphanMs) / 1_000));
  const options = {
    projection: { _id: 0, files_id: 1 },
    sort: { files_id: 1 },
    limit: chunksAtOnce,
  } as const;
  let last = after;
  for (;;) {
    const page = await chunks.find({ files_id: { $gt: last, $lt: end } }, options).toArray();
    const ids = new Map(page.map(({ files_id }) => [files_id.toHexString(), files_id]));
    const upTo = page.at(-1)?.files_id;
    if (!upTo) return;
    const found = await files.find({ _id: { $in: [...ids.values()] } }, { projection: { _id: 1 } }).toArray();
    for (const { _id } of found) ids.delete(_id.toHexString());
    yield { upTo, cutOff: [...ids.values()] };
    last = upTo;
  }
}
