import { StatementPool } from '../workers/statement-pool.ts';
import { type AuditOptions, type AuditSummary, auditStore } from './domain/integrity/audit.ts';
import type { StoreAudit, StoreFault } from './domain/integrity/audit-ports.ts';
import { ContextWorld } from './domain/integrity/context-world.ts';
import { ContextKeeper, ContextRegistry } from './domain/integrity/contexts.ts';
import type { BlobStore } from './domain/integrity/ports.ts';
import { Rechecker } from './domain/integrity/recheck.ts';
import { openStoreAudit, type StoreSettings } from './storage/open.ts';

export type MaintenanceSettings = StoreSettings & { readonly workers: number | null };

export interface OpenedAudit extends AsyncDisposable {
  /** Where the store is, in words for a log. */
  readonly place: string;
  run(options: AuditOptions): AsyncGenerator<StoreFault, AuditSummary>;
}

/** As deep as the service can be set to accept; what it has accepted is given more time than it had then. */
const maxDepth = 256;
const documentMs = 60_000;
const requestMs = 600_000;

/**
 * Opens a store to be audited.
 * @param waiting told a sentence each time that a server has to be waited for.
 * @throws ServiceError when it cannot be opened.
 */
export async function openAudit(
  settings: MaintenanceSettings,
  waiting: (sentence: string) => void,
): Promise<OpenedAudit> {
  await using opened = new AsyncDisposableStack();
  const audit: StoreAudit = opened.use(await openStoreAudit(settings, waiting));
  const identifier = opened.use(openRecheckPool(settings.workers));
  const rechecker = recheckerOf(identifier, audit.blobStore);
  const stack = opened.move();
  return {
    place: audit.place,
    run: (options) => auditStore(audit, rechecker, options),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Its registry knows nothing: each row brings the documents that it was read with. */
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
