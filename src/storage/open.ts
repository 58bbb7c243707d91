import type { StoreCheck } from '../domain/maintenance/fsck/ports.ts';
import type { StoreHistory } from '../domain/maintenance/migration/ports.ts';
import { openEmbeddedCheck } from './embedded/fsck/open-fsck.ts';
import { openEmbedded } from './embedded/open-embedded.ts';
import type { Store } from './store.ts';

export type { Store } from './store.ts';

export interface StoreSettings {
  readonly dataDir: string;
  readonly mongodbUrl: string | null;
  readonly mongodbDatabase: string;
  /** Milliseconds for which a server is waited for. */
  readonly startWait: number;
}

/**
 * The one place where a store is chosen.
 * @param waiting told a sentence each time that the start has to wait for a server.
 * @throws ServiceError `unavailable`, `storage_full`; with `retryAfter` when a server was not reached.
 */
export async function openStore(
  { dataDir, mongodbUrl, mongodbDatabase, startWait }: StoreSettings,
  waiting: (sentence: string) => void,
): Promise<Store> {
  if (mongodbUrl === null) return await openEmbedded(dataDir);
  const address = { url: mongodbUrl, name: mongodbDatabase };
  // Its driver takes memory that a store on a folder has no use for.
  const { openMongo } = await import('./mongo/open-mongo.ts');
  return await openMongo(address, dataDir, { waitMs: startWait, waiting });
}

/**
 * Opens a store to be looked at as it stands: nothing in it changes by that.
 * @throws ServiceError as `openStore`; also when there is no store.
 */
export async function openStoreCheck(
  { dataDir, mongodbUrl, mongodbDatabase, startWait }: StoreSettings,
  waiting: (sentence: string) => void,
): Promise<StoreCheck & StoreHistory> {
  if (mongodbUrl === null) return await openEmbeddedCheck(dataDir);
  const address = { url: mongodbUrl, name: mongodbDatabase };
  const { openMongoCheck } = await import('./mongo/fsck/open-fsck.ts');
  return await openMongoCheck(address, { waitMs: startWait, waiting });
}
