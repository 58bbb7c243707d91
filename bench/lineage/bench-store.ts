import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openStore, type Store } from '../../src/storage/open.ts';

/** An empty store: embedded, or on CAIRN_TEST_MONGODB_URL with STORE=mongodb. */
export async function openBenchStore(folder: string): Promise<Store> {
  const settings = readSettings({ CAIRN_DATA_DIR: join(folder, 'data') });
  if (process.env.STORE !== 'mongodb') return await openStore(settings, () => {});
  const url = process.env.CAIRN_TEST_MONGODB_URL;
  if (!url) throw new Error('CAIRN_TEST_MONGODB_URL names no MongoDB.');
  const name = `cairn-bench-${randomUUID()}`;
  const store = await openStore({ ...settings, mongodbUrl: url, mongodbDatabase: name }, () => {});
  const dispose = async () => {
    await store[Symbol.asyncDispose]();
    const client = new MongoClient(url);
    await client.db(name).dropDatabase();
    await client.close();
  };
  return { ...store, [Symbol.asyncDispose]: dispose };
}
