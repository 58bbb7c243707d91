import { rm } from 'node:fs/promises';
import { openMongo } from '../../../src/storage/open.ts';
import { statementRowsContract } from '../../contract/statement-rows.ts';
import { newFolder } from '../temporary-folder.ts';
import { describeMongo, dropDatabase, newDatabase } from './database.ts';

describeMongo('rows on MongoDB', () => {
  statementRowsContract(async () => {
    const [address, folder] = [newDatabase(), await newFolder()];
    const store = await openMongo(address, folder, { waitMs: 0, waiting: () => {} });
    return {
      ...store,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        await dropDatabase(address);
        await rm(folder, { recursive: true });
      },
    };
  });
});
