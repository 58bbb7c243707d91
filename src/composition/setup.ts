import { openJobQueue, sharesJobs } from '../jobs.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import { openStore } from '../storage/open.ts';
import { openServiceSigner } from './signing.ts';

/** A server or file that the services need, and what was found. */
export interface Checked {
  readonly name: 'store' | 'jobs' | 'key';
  readonly found: string;
}

/**
 * Creates the collections and indexes of the store, and checks every server that the services need. Waits for them as
 * a service does at its start. A repeat changes nothing.
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
}
