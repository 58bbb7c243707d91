import { openJobQueue, sharesJobs } from '../jobs.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import { openStore } from '../storage/open.ts';
import { openSignatures } from './signatures.ts';
import { openContexts, openServiceSigner, openStatementPool } from './signing.ts';
import { upgradeStore } from './upgrades.ts';

/** A server or file that the services need, and what was found. */
export interface Checked {
  readonly name: 'store' | 'jobs' | 'key' | 'data';
  readonly found: string;
}

/**
 * Creates the collections and indexes of the store, brings its data up to date, and checks every server that the services
 * need. Waits for them as a service does at its start. A repeat changes nothing.
 * @throws ServiceError as opening the services would.
 */
export async function* setUp(settings: Settings, log: Log): AsyncGenerator<Checked> {
  await using store = await openStore(settings, (sentence) => log.warn(sentence));
  await store.ready();
  yield { name: 'store', found: store.place };
  await using queue = await openJobQueue(settings, log);
  await queue.ready();
  yield {
    name: 'jobs',
    found: sharesJobs(settings) ? 'shared by all processes through Redis' : 'in each process',
  };
  const signer = await openServiceSigner(settings, log);
  yield { name: 'key', found: signer.did };
  await using identifier = openStatementPool(settings, log, openContexts(settings, store.blobs).registry);
  const { verifying } = await openSignatures(store, { identifier, signer }, settings);
  await upgradeStore({ store, verifying }, log);
  yield { name: 'data', found: 'up to date with this version' };
}
