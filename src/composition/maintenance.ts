import { StatementPool } from '../../workers/statement-pool.ts';
import { ContextKeeper, ContextRegistry } from '../domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../domain/integrity/contexts/world.ts';
import type { BlobStore } from '../domain/integrity/ports.ts';
import { type FsckOptions, fsckStore } from '../domain/maintenance/fsck/fsck.ts';
import { migrate } from '../domain/maintenance/migration/migration.ts';
import type { Migration } from '../domain/maintenance/migration/run.ts';
import { Verifier } from '../domain/maintenance/verifier.ts';
import { openStore, openStoreCheck, type StoreSettings } from '../storage/open.ts';

export type MaintenanceSettings = StoreSettings & { readonly workers: number | null };

/** The greatest depth that CAIRN_MAX_JSON_DEPTH allows, and more time than the service allows by default. */
const maxDepth = 256;
const documentMs = 60_000;
const requestMs = 600_000;

/**
 * Opens a store for fsck.
 * @param waiting called with a sentence whenever a server has to be waited for.
 * @throws ServiceError when it cannot be opened.
 */
export async function openFsck(settings: MaintenanceSettings, waiting: (sentence: string) => void) {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openStoreCheck(settings, waiting));
  const verifier = openVerifier(opened, store.blobs, settings.workers);
  const stack = opened.move();
  return {
    place: store.place,
    run: (options: FsckOptions) => fsckStore(store, verifier, options),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface MigrationSettings {
  readonly from: StoreSettings;
  readonly to: StoreSettings;
  readonly workers: number | null;
}

/**
 * Opens two stores, to copy everything from one to the other.
 * @param waiting called with a sentence whenever a server has to be waited for.
 * @throws ServiceError when one of them cannot be opened. The source must exist.
 */
export async function openMigration(
  { from, to, workers }: MigrationSettings,
  waiting: (sentence: string) => void,
) {
  await using opened = new AsyncDisposableStack();
  const source = opened.use(await openStoreCheck(from, waiting));
  const target = opened.use(await openStore(to, waiting));
  const verifier = openVerifier(opened, source.blobs, workers);
  const stack = opened.move();
  return {
    from: source.place,
    to: target.place,
    run: (onProgress: Migration['onProgress']) => migrate({ source, target, verifier, onProgress }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Its registry is empty, because each statement comes with its own context documents. */
function openVerifier(opened: AsyncDisposableStack, blobs: BlobStore, threads: number | null): Verifier {
  const pool = new StatementPool({
    registry: new ContextRegistry(new ContextWorld(), []),
    ...(threads !== null && { threads }),
    maxDepth,
    documentMs,
    requestMs,
    waitMs: requestMs,
  });
  return new Verifier({
    identifier: opened.use(pool),
    contexts: new ContextKeeper(blobs, new ContextWorld()),
  });
}
