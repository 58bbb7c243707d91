import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'vitest';
import { embeddedRecords } from '../../../src/storage/embedded/collections/records.ts';
import { createTables } from '../../../src/storage/embedded/collections/tables.ts';
import { openWriter } from '../../../src/storage/embedded/connections.ts';
import { openDatabase } from '../../../src/storage/embedded/database.ts';
import { recordCollections, recordsContract } from '../../contract/records.ts';
import { newFolder } from '../temporary-folder.ts';

describe('the embedded store', () => {
  recordsContract(async () => {
    const folder = await newFolder();
    const database = await openDatabase(folder);
    const writer = openWriter(join(folder, 'cairn.db'));
    createTables(writer, recordCollections);
    writer.close();
    return {
      of: (declared) => embeddedRecords(database, declared),
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await rm(folder, { recursive: true });
      },
    };
  });
});
