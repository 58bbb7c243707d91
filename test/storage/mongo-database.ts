import { randomUUID } from 'node:crypto';
import { Database, type DatabaseAddress, databaseClient } from '../../src/storage/mongo/database.ts';
import { describeWith } from '../describe-with.ts';

const url = process.env.CAIRN_TEST_MONGODB_URL;

/** A suite that needs a server. */
export function describeMongo(name: string, suite: () => void): void {
  describeWith(!url && 'there is no MongoDB (CAIRN_TEST_MONGODB_URL)', name, suite);
}

/** The address of a database that nobody else uses; it is made by the first write. Drop it with `dropDatabase`. */
export function newDatabase(): DatabaseAddress {
  return { url: url ?? '', name: `cairn-test-${randomUUID()}` };
}

export async function dropDatabase({ url, name }: DatabaseAddress): Promise<void> {
  await using database = await Database.connect(databaseClient(url), name);
  await database.db.dropDatabase();
}
