import { randomUUID } from 'node:crypto';
import { describe, test } from 'vitest';
import { Database, type DatabaseAddress, databaseClient } from '../../src/storage/mongo/database.ts';

const url = process.env.CAIRN_TEST_MONGODB_URL;

/** A suite that needs a server. Without CAIRN_TEST_MONGODB_URL it is skipped in one line, and fails where CI runs. */
export function describeMongo(name: string, suite: () => void): void {
  if (url) {
    describe(name, suite);
    return;
  }
  const absence = 'there is no MongoDB (CAIRN_TEST_MONGODB_URL)';
  if (process.env.CI === 'true') {
    test(name, () => {
      throw new Error(absence);
    });
  } else {
    console.warn(`skipped: ${name}, because ${absence}`);
    test.skip(`${name}: ${absence}`);
  }
}

/** The address of a database that nobody else uses; it is made by the first write. Drop it with `dropDatabase`. */
export function newDatabase(): DatabaseAddress {
  return { url: url ?? '', name: `cairn-test-${randomUUID()}` };
}

export async function dropDatabase({ url, name }: DatabaseAddress): Promise<void> {
  await using database = await Database.connect(databaseClient(url), name);
  await database.db.dropDatabase();
}
