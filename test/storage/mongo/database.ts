import { randomUUID } from 'node:crypto';
import { bucketFiles } from '../../../src/storage/mongo/buckets/bucket-files.ts';
import { Database, type DatabaseAddress, databaseClient } from '../../../src/storage/mongo/database.ts';
import { describeWith } from '../../describe-with.ts';

const absence = 'there is no MongoDB (CAIRN_TEST_MONGODB_URL)';
const url = process.env.CAIRN_TEST_MONGODB_URL;

/** A suite that needs a server. */
export function describeMongo(name: string, suite: () => void): void {
  describeWith(!url && absence, name, suite);
}

/** The address of a database that nobody else uses; it is made by the first write. Drop it with `dropDatabase`. */
export function newDatabase(): DatabaseAddress {
  if (!url) throw new Error(absence);
  return { url, name: `cairn-test-${randomUUID()}` };
}

export async function dropDatabase({ url, name }: DatabaseAddress): Promise<void> {
  await using database = await Database.connect(databaseClient(url), { url, name });
  await database.db.dropDatabase();
}

/** Says that the documents of a database are of another version of Cairn. */
export async function databaseVersion({ url, name }: DatabaseAddress, version: number): Promise<void> {
  await using database = await Database.connect(databaseClient(url), { url, name });
  const settings = database.collection<{ _id: string; version: number }>('settings');
  await settings.updateOne({ _id: 'schema' }, { $set: { version } }, { upsert: true });
}

/** The ids of uploads that have left chunks without a complete file. */
export async function cutOffUploads({ url, name }: DatabaseAddress): Promise<string[]> {
  await using database = await Database.connect(databaseClient(url), { url, name });
  const { files, chunks } = bucketFiles(database, 'blobs');
  const begun = await chunks.distinct('files_id');
  const found = await files.find().toArray();
  const complete = new Set(found.map(({ _id }) => String(_id)));
  return begun.map(String).filter((id) => !complete.has(id));
}
