import { ObjectId } from 'mongodb';
import type { BlobPlaces } from './blob-places.ts';
import { orphanMs } from './upload-age.ts';

const uploadsAtOnce = 500;

interface MarkDocument {
  readonly _id: string;
  /** Uploads up to this one have been looked at. */
  readonly upTo: ObjectId;
}

/** Takes away the chunks of uploads that were cut off. Each upload is looked at once, when it is old enough. */
export async function sweepUploads(places: BlobPlaces, now: Date): Promise<void> {
  const _id = `swept_uploads_of_${places.bucket}`;
  const settings = places.database.collection<MarkDocument>('settings');
  const after = (await settings.findOne({ _id }))?.upTo ?? ObjectId.createFromTime(0);
  for await (const { upTo, cutOff } of oldUploads(places, now, after)) {
    await removeUploads(places, cutOff);
    await settings.updateOne({ _id }, { $max: { upTo } }, { upsert: true });
  }
}

/** The first chunks last: where that is interrupted, what is left is found by them. */
export async function removeUploads({ chunks }: BlobPlaces, ids: readonly ObjectId[]): Promise<void> {
  if (ids.length === 0) return;
  const files_id = { $in: [...ids] };
  await chunks.deleteMany({ files_id, n: { $gt: 0 } });
  await chunks.deleteMany({ files_id });
}

/**
 * Uploads that are too old to be going on, in parts: up to which each part goes, and those that have become no file.
 * One is found by its first chunk, or by its second where a server that failed has lost the first.
 */
export async function* oldUploads(
  { files, chunks }: BlobPlaces,
  now: Date,
  after: ObjectId = ObjectId.createFromTime(0),
): AsyncGenerator<{ readonly upTo: ObjectId; readonly cutOff: readonly ObjectId[] }> {
  const end = ObjectId.createFromTime(Math.floor((now.getTime() - orphanMs) / 1_000));
  let last = after;
  for (;;) {
    const begun = await chunks
      .find({ n: { $in: [0, 1] }, files_id: { $gt: last, $lt: end } }, { projection: { files_id: 1 } })
      .sort({ files_id: 1 })
      .limit(uploadsAtOnce)
      .toArray();
    const ids = [...new Map(begun.map(({ files_id }) => [files_id.toHexString(), files_id])).values()];
    const upTo = ids.at(-1);
    if (!upTo) return;
    const whole = await files.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
    const wholeIds = new Set(whole.map((file) => file._id.toHexString()));
    yield { upTo, cutOff: ids.filter((id) => !wholeIds.has(id.toHexString())) };
    last = upTo;
  }
}
