import { type GridFSChunk, ObjectId } from 'mongodb';
import { type NamedBytes, putEach } from '../../../domain/bucket.ts';
import { inTime, isDuplicate, translated } from '../errors.ts';
import { insertUnordered } from '../unique-writes.ts';
import { type BucketFiles, chunkSize, type StoredFile } from './bucket-files.ts';
import { stagedFile } from './staged-file.ts';

/** Stores small files with two inserts: first all chunks, which nobody sees, and then the files. */
export async function putSmallFiles(
  bucket: BucketFiles,
  contents: readonly NamedBytes[],
): Promise<('stored' | 'known')[]> {
  const { database, files, chunks, wholeLimit } = bucket;
  if (contents.length === 0) return [];
  const uploadDate = database.now();
  const seconds = Math.floor(uploadDate.getTime() / 1_000);
  const made = contents.map(({ name: filename, bytes }): { file: StoredFile; chunk?: GridFSChunk } => {
    const _id = new ObjectId(ObjectId.generate(seconds));
    const file = { _id, length: bytes.length, chunkSize, uploadDate, filename };
    if (bytes.length <= wholeLimit) return { file: { ...file, data: bytes } };
    if (bytes.length === 0) return { file };
    return { file, chunk: { _id: new ObjectId(), files_id: _id, n: 0, data: bytes } as GridFSChunk };
  });
  const allChunks = made.flatMap(({ chunk }) => chunk ?? []);
  return await translated(async () => {
    if (allChunks.length > 0) await inTime(chunks.insertMany(allChunks, { ordered: false }));
    const failed = await inTime(
      insertUnordered(
        files,
        made.map(({ file }) => file),
      ),
    );
    const refused = made.filter((_, at) => failed.has(at));
    if (refused.length > 0)
      await inTime(chunks.deleteMany({ files_id: { $in: refused.map(({ file }) => file._id) } }));
    const again = contents.filter((_, at) => failed.has(at) && !isDuplicate(failed.get(at)));
    const outcomes = await putEach({ stage: async () => stagedFile(bucket) }, again);
    return contents.map((one, at) =>
      !failed.has(at) ? 'stored' : again.includes(one) ? (outcomes.shift() ?? 'known') : 'known',
    );
  });
}
