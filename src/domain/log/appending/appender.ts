import type { LogRecords } from '../records.ts';
import { appendAll } from './append.ts';
import { recoverBatches } from './batches.ts';
import { noteHeads } from './service-log.ts';
import type { Unlogged } from './unlogged.ts';

export interface AppenderPorts {
  readonly records: LogRecords;
  /** Of each, a part is taken in turn. */
  readonly unlogged: readonly Unlogged[];
  readonly now: () => Date;
}

/**
 * Brings what is stored into the logs, and their heads into the service log. Any number of processes can do
 * this at once: everything gets into its log once. It can stop at any point, and a later call goes on.
 * @returns whether there was anything to do.
 */
export async function appendNew(
  { records, unlogged, now }: AppenderPorts,
  signal?: AbortSignal,
): Promise<boolean> {
  const time = () => now().getTime();
  await recoverBatches(records, time());
  let hasWorked = false;
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const one of unlogged) {
      const part = await one.next();
      if (!part) continue;
      isMore = true;
      await appendAll(records, part.wanted, time);
      await part.done();
      // Heads follow while more is coming.
      await noteHeads(records, time());
      if (signal?.aborted) return true;
    }
    hasWorked ||= isMore;
  }
  while (await noteHeads(records, time())) hasWorked = true;
  return hasWorked;
}
