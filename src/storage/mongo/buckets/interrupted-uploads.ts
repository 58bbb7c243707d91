import { ObjectId } from 'mongodb';
import type { BucketFiles } from './bucket-files.ts';

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
  let last = after;
  for (;;) {
    const page = await chunks
      .find({ files_id: { $gt: last, $lt: end } }, { projection: { _id: 0, files_id: 1 } })
      .sort({ files_id: 1 })
      .limit(chunksAtOnce)
      .toArray();
    const ids = new Map(page.map(({ files_id }) => [files_id.toHexString(), files_id]));
    const upTo = page.at(-1)?.files_id;
    if (!upTo) return;
    const found = await files.find({ _id: { $in: [...ids.values()] } }, { projection: { _id: 1 } }).toArray();
    for (const { _id } of found) ids.delete(_id.toHexString());
    yield { upTo, cutOff: [...ids.values()] };
    last = upTo;
  }
}
