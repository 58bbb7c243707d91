import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMongo } from '../../src/storage/mongo/open-mongo.ts';
import { statementIndexContract } from '../contract/statement-index.ts';
import { statementStoreContract } from '../contract/statement-store.ts';
import { describeMongo, dropDatabase, newDatabase } from './mongo-database.ts';

describeMongo('statements in MongoDB', () => {
  statementStoreContract(openNew);
  statementIndexContract(openNew);
});

async function openNew() {
  const address = newDatabase();
  const patience = { waitMs: 0, waiting: () => {} };
  const store = await openMongo(address, join(tmpdir(), 'cairn-test', randomUUID()), patience);
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await dropDatabase(address);
    },
  };
}
