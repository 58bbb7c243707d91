import { indexesOf } from '../../../src/storage/mongo/collections/documents.ts';
import { mongoRecords } from '../../../src/storage/mongo/collections/records.ts';
import { openDatabase } from '../../../src/storage/mongo/open-database.ts';
import { recordCollections, recordsContract } from '../../contract/records.ts';
import { describeMongo, dropDatabase, newDatabase } from './database.ts';

describeMongo('the store on MongoDB', () => {
  recordsContract(async () => {
    const address = newDatabase();
    const patience = { waitMs: 0, waiting: () => undefined };
    const database = await openDatabase(address, recordCollections.map(indexesOf), patience);
    return {
      of: (declared) => mongoRecords(database, declared),
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await dropDatabase(address);
      },
    };
  });
});
