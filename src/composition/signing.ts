import { join } from 'node:path';
import { StatementPool } from '../../workers/statement-pool.ts';
import { blobContexts, ContextRegistry } from '../domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../domain/integrity/contexts/world.ts';
import type { BlobStore } from '../domain/integrity/ports.ts';
import type { Signer } from '../domain/integrity/signer.ts';
import { ContextsFolder } from '../platform/contexts-folder.ts';
import { currentCaller } from '../platform/http/callers.ts';
import { openSigner } from '../platform/key-file-signer.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings/setting-table.ts';

/** Where contexts come from: the bundled ones, the operator's folder, and blobs. */
export function openContexts({ contextsDir }: Pick<Settings, 'contextsDir'>, blobs: BlobStore) {
  const folder = contextsDir === null ? undefined : new ContextsFolder(contextsDir);
  const sources = [...(folder ? [folder] : []), blobContexts(blobs)];
  return { folder, registry: new ContextRegistry(ContextWorld.bundled(), sources) };
}

/** The threads that identify and canonicalize documents. */
export function openStatementPool(settings: Settings, log: Log, registry: ContextRegistry): StatementPool {
  return new StatementPool({
    registry,
    ...(settings.workers !== null && { threads: settings.workers }),
    maxDepth: settings.maxJsonDepth,
    documentMs: settings.documentTime,
    requestMs: settings.requestTime,
    onThreadError: (err) => log.error({ err }, 'A thread for statements has failed or cannot start.'),
    waitMs: settings.limitWait,
    currentCaller,
  });
}

/** The signer of the service. Without a setting, its key is in the data folder. */
export async function openServiceSigner(
  { signingKeyFile, dataDir }: Pick<Settings, 'signingKeyFile' | 'dataDir'>,
  log: Log,
): Promise<Signer> {
  return await openSigner(signingKeyFile ?? join(dataDir, 'signing-key.json'), {
    mayCreate: signingKeyFile === null,
    onWarning: (sentence) => log.warn(sentence),
  });
}
