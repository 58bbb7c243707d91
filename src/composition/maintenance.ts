import { StatementPool } from '../../workers/statement-pool.ts';
import { ContextKeeper, ContextRegistry } from '../domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../domain/integrity/contexts/world.ts';
import type { BlobStore } from '../domain/integrity/ports.ts';
import { type FsckOptions, type FsckSummary, fsckStore } from '../domain/maintenance/fsck/fsck.ts';
import type { StoreCheck, StoreProblem } from '../domain/maintenance/fsck/ports.ts';
import { Rechecker } from '../domain/maintenance/fsck/recheck.ts';
import { migrate } from '../domain/maintenance/migration/migration.ts';
import type { Migrating, MigrationMemory, MigrationSummary } from '../domain/maintenance/migration/ports.ts';
import { openStore, openStoreCheck, type StoreSettings } from '../storage/open.ts';

export type MaintenanceSettings = StoreSettings & { readonly workers: number | null };

export interface OpenedFsck extends AsyncDisposable {
  /** Description of the store for a log. */
  readonly place: string;
  run(options: FsckOptions): AsyncGenerator<StoreProblem, FsckSummary>;
}

/** The greatest depth that CAIRN_MAX_JSON_DEPTH allows, and more time than the service allows by default. */
const maxDepth = 256;
const documentMs = 60_000;
const requestMs = 600_000;

/**
 * Opens a store for fsck.
 * @param waiting called with a sentence whenever a server has to be waited for.
 * @throws ServiceError when it cannot be opened.
 */
export async function openFsck(
  settings: MaintenanceSettings,
  waiting: (sentence: string) => void,
): Promise<OpenedFsck> {
  await using opened = new AsyncDisposableStack();
  const fsck: StoreCheck = opened.use(await openStoreCheck(settings, waiting));
  const identifier = opened.use(openRecheckPool(settings.workers));
  const rechecker = recheckerOf(identifier, fsck.blobStore);
  const stack = opened.move();
  return {
    place: fsck.place,
    run: (options) => fsckStore(fsck, rechecker, options),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export interface MigrationSettings {
  readonly from: StoreSettings;
  readonly to: StoreSettings;
  readonly workers: number | null;
}

export interface OpenedMigration extends AsyncDisposable {
  /** Descriptions of the stores for a log. */
  readonly from: string;
  readonly to: string;
  run(
    memory: MigrationMemory,
    onProgress: Migrating['onProgress'],
  ): AsyncGenerator<StoreProblem, MigrationSummary>;
}

/**
 * Opens two stores, to copy everything from one to the other.
 * @param waiting called with a sentence whenever a server has to be waited for.
 * @throws ServiceError when one of them cannot be opened. The source must exist.
 */
export async function openMigration(
  { from, to, workers }: MigrationSettings,
  waiting: (sentence: string) => void,
): Promise<OpenedMigration> {
  await using opened = new AsyncDisposableStack();
  const source = opened.use(await openStoreCheck(from, waiting));
  const target = opened.use(await openStore(to, waiting));
  const identifier = opened.use(openRecheckPool(workers));
  const rechecker = recheckerOf(identifier, source.blobStore);
  const stack = opened.move();
  return {
    from: source.place,
    to: target.place,
    run: (memory, onProgress) => migrate({ source, target, rechecker, memory, onProgress }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The registry is empty, because each row comes with its own context documents. */
function openRecheckPool(threads: number | null): StatementPool {
  const registry = new ContextRegistry(new ContextWorld(), []);
  return new StatementPool({
    registry,
    ...(threads !== null && { threads }),
    maxDepth,
    documentMs,
    requestMs,
  });
}

function recheckerOf(identifier: StatementPool, blobs: BlobStore): Rechecker {
  return new Rechecker({ identifier, contexts: new ContextKeeper(blobs, new ContextWorld()) });
}
