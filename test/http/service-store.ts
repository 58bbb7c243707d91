import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newKeys, removeKeys } from '../queues/redis.ts';
import { cutOffUploads, dropDatabase, newDatabase } from '../storage/mongo/database.ts';

/** A store for one service, which outlives its restarts. */
export interface ServiceStore extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
  /** What interrupted uploads have left behind. */
  orphans(): Promise<readonly string[]>;
}

export type StoreKind = 'embedded' | 'mongodb';

/** A new, empty store. */
export async function newServiceStore(kind: StoreKind = 'embedded'): Promise<ServiceStore> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-http-'));
  return kind === 'mongodb' ? await onMongodb(folder) : embedded(folder);
}

function embedded(folder: string): ServiceStore {
  return {
    environment: { CAIRN_DATA_DIR: folder },
    orphans: () => readdir(join(folder, 'staging')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

async function onMongodb(folder: string): Promise<ServiceStore> {
  const [address, keys] = [newDatabase(), newKeys()];
  const keyFile = join(folder, 'signing-key.json');
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFile(keyFile, JSON.stringify(privateKey.export({ format: 'jwk' })));
  return {
    environment: {
      CAIRN_DATA_DIR: folder,
      CAIRN_PUBLIC_URL: 'http://127.0.0.1:3050',
      CAIRN_MONGODB_URL: address.url,
      CAIRN_MONGODB_DATABASE: address.name,
      CAIRN_SIGNING_KEY_FILE: keyFile,
      CAIRN_REDIS_URL: keys.url,
      CAIRN_REDIS_PREFIX: keys.prefix,
    },
    orphans: () => cutOffUploads(address),
    async [Symbol.asyncDispose]() {
      await dropDatabase(address);
      await removeKeys(keys);
      await rm(folder, { recursive: true });
    },
  };
}
