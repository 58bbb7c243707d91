import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { openSigningKey } from '../src/platform/signing-key.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

export interface MongoService {
  readonly folder: string;
  readonly service: ServiceProcess;
  /** The service's own database, by a client with the same promises. */
  readonly db: Db;
  /** Another one, for what is measured beside it. */
  readonly plain: Db;
}

/** A service on a database of its own, which is gone when the work is done. The server is CAIRN_TEST_MONGODB_URL. */
export async function withMongoService(work: (service: MongoService) => Promise<void>): Promise<void> {
  const url = process.env.CAIRN_TEST_MONGODB_URL;
  if (!url) throw new Error('CAIRN_TEST_MONGODB_URL names no MongoDB.');
  const name = `cairn-bench-${randomUUID()}`;
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  const [db, plain] = [client.db(name), client.db(`${name}-plain`)];
  try {
    await withFolder(async (folder) => {
      const keyFile = join(folder, 'signing-key.json');
      await openSigningKey(keyFile, { mayCreate: true });
      await using service = await startService(join(folder, 'data'), {
        CAIRN_MONGODB_URL: url,
        CAIRN_MONGODB_DATABASE: name,
        CAIRN_SIGNING_KEY_FILE: keyFile,
      });
      await work({ folder, service, db, plain });
    });
  } finally {
    await db.dropDatabase();
    await plain.dropDatabase();
    await client.close();
  }
}
