import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type Db, MongoClient } from 'mongodb';
import { openSigner } from '../src/platform/key-file-signer.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

export interface Servers {
  readonly folder: string;
  /** Environment variables of processes that share this store and queue. */
  readonly environment: Record<string, string>;
  /** The database of the services, with a client that has the same write concern. */
  readonly db: Db;
  /** Another database, for comparisons. */
  readonly plain: Db;
}

/** A temporary database and key prefix on CAIRN_TEST_MONGODB_URL and CAIRN_TEST_REDIS_URL. */
export async function withServers<Result>(work: (servers: Servers) => Promise<Result>): Promise<Result> {
  const { CAIRN_TEST_MONGODB_URL: url, CAIRN_TEST_REDIS_URL: redisUrl } = process.env;
  if (!url || !redisUrl) throw new Error('Set CAIRN_TEST_MONGODB_URL and CAIRN_TEST_REDIS_URL.');
  const name = `cairn-bench-${randomUUID()}`;
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  const [db, plain] = [client.db(name), client.db(`${name}-plain`)];
  try {
    return await withFolder(async (folder) => {
      const keyFile = join(folder, 'signing-key.json');
      await openSigner(keyFile, { mayCreate: true });
      const environment = {
        CAIRN_PUBLIC_URL: 'http://127.0.0.1:3050',
        CAIRN_MONGODB_URL: url,
        CAIRN_MONGODB_DATABASE: name,
        CAIRN_REDIS_URL: redisUrl,
        CAIRN_REDIS_PREFIX: name,
        CAIRN_SIGNING_KEY_FILE: keyFile,
      };
      return await work({ folder, environment, db, plain });
    });
  } finally {
    await db.dropDatabase();
    await plain.dropDatabase();
    await client.close();
    await removeKeys(redisUrl, name);
  }
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  for await (const keys of redis.scanStream({ match: `${prefix}:*` }))
    if (keys.length > 0) await redis.del(...(keys as string[]));
  redis.disconnect();
}

export interface MongoService extends Servers {
  readonly service: ServiceProcess;
}

/** One service with its own database and keys. */
export async function withMongoService<Result>(
  work: (service: MongoService) => Promise<Result>,
): Promise<Result> {
  return await withServers(async (servers) => {
    await using service = await startService(join(servers.folder, 'data'), servers.environment);
    return await work({ ...servers, service });
  });
}
