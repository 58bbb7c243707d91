import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BSON } from 'mongodb';
import { test } from 'vitest';
import { Database, databaseClient } from '../../../src/storage/mongo/database.ts';
import { expectUpToDate, unpackOldStore } from '../../contract/old-store.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { describeMongo, dropDatabase, newDatabase } from './database.ts';

describeMongo('a database of an earlier version', () => {
  test('of Cairn 0.1.0 opens and is brought up to date', async () => {
    using folder = temporaryFolder();
    const address = newDatabase();
    const answers = unpackOldStore('mongodb-3', folder.path);
    const text = readFileSync(join(folder.path, 'mongodb.ejson'), 'utf8');
    const collections: Record<string, BSON.Document[]> = BSON.EJSON.parse(text, { relaxed: false });
    try {
      {
        await using database = await Database.connect(databaseClient(address.url), address);
        for (const [name, documents] of Object.entries(collections))
          if (documents.length > 0) await database.db.collection(name).insertMany(documents);
      }
      const environment = {
        CAIRN_DATA_DIR: folder.path,
        CAIRN_MONGODB_URL: address.url,
        CAIRN_MONGODB_DATABASE: address.name,
        CAIRN_SIGNING_KEY_FILE: join(folder.path, 'mongodb-key.json'),
        CAIRN_PUBLIC_URL: 'https://cairn.example',
        CAIRN_JOBS: 'in-process',
      };
      await expectUpToDate(environment, answers);
    } finally {
      await dropDatabase(address);
    }
  });
});
