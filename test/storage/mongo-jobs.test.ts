import { Database, databaseClient } from '../../src/storage/mongo/database.ts';
import { createIndexes } from '../../src/storage/mongo/indexes.ts';
import { jobIndexes, MongoJobs } from '../../src/storage/mongo/jobs.ts';
import { jobStoreContract } from '../contract/job-store.ts';
import { describeMongo, dropDatabase, newDatabase } from './mongo-database.ts';

describeMongo('jobs in MongoDB', () => {
  jobStoreContract(async () => {
    const address = newDatabase();
    const database = await Database.connect(databaseClient(address.url), address.name);
    await createIndexes(database, [jobIndexes]);
    return {
      jobs: new MongoJobs(database),
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await dropDatabase(address);
      },
    };
  });
});
