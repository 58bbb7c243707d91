import type { CheckedStore } from '../domain/maintenance/contents.ts';
import { openEmbeddedCheck } from './embedded/fsck/open-fsck.ts';
import { openEmbedded } from './embedded/open-embedded.ts';
import type { Store } from './store.ts';

export type { Store } from './store.ts';

export interface StoreSettings {
  readonly dataDir: string;
  readonly mongodbUrl: string | null;
  readonly mongodbDatabase: string;
  /** Milliseconds to wait for a server at the start. */
  readonly startWait: number;
}

/**
 * The one place where a store is chosen.
 * @param waiting called with a sentence whenever the start has to wait for a server.
 * @throws ServiceError `unavailable`, `storage_full`; with `retryAfter` if the server was not reached.
 */
export async function openStore(
  { dataDir, mongodbUrl, mongodbDatabase, startWait }: StoreSettings,
  waiting: (sentence: string) => void,
): Promise<Store> {
  if (mongodbUrl === null) return await openEmbedded(dataDir);
  const address = { url: mongodbUrl, name: mongodbDatabase };
  // Imported here, because the driver takes memory.
  const { openMongo } = await import('./mongo/open-mongo.ts');
  return await openMongo(address, dataDir, { waitMs: startWait, waiting });
}

/**
 * Opens a store as it is. Opening changes nothing in it.
 * @throws ServiceError as `openStore`; `not_found` if there is no store.
 */
export async function openStoreCheck(
  { dataDir, mongodbUrl, mongodbDatabase, startWait }: StoreSettings,
  waiting: (sentence: string) => void,
): Promise<CheckedStore> {
  if (mongodbUrl === null) return await openEmbeddedCheck(dataDir);
  const address = { url: mongodbUrl, name: mongodbDatabase };
  const { openMongoCheck } = await import('./mongo/fsck/open-fsck.ts');
  return await openMongoCheck(address, { waitMs: startWait, waiting });
}
