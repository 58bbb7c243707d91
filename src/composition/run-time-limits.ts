import {
  changeRunTimeLimits,
  defaultRunTimeLimits,
  type RunTimeLimits,
  readRunTimeLimits,
  type StoredLimits,
} from '../domain/integrity/dynamic-config.ts';
import { Semaphore } from '../domain/semaphore.ts';
import { repeatedly } from './repeatedly.ts';

/** All processes must apply a change within two seconds. */
const followMs = 1_000;

/**
 * Reads the stored limits, and follows their changes until disposed of.
 * @param waitMs how long to wait for a permit.
 */
export async function followRunTimeLimits(store: StoredLimits, waitMs: number) {
  let limits = (await readRunTimeLimits(store)) ?? defaultRunTimeLimits;
  let changes = 0;
  const fetch = new Semaphore(limits.blobStoreFetchConcurrency, { waitMs });
  const write = new Semaphore(limits.blobStoreWriteConcurrency, { waitMs });

  function apply(changed: RunTimeLimits): void {
    limits = changed;
    fetch.setLimit(changed.blobStoreFetchConcurrency);
    write.setLimit(changed.blobStoreWriteConcurrency);
  }

  /** Ignores limits that were read while this process changed them, because they may be old. */
  async function follow(): Promise<void> {
    const before = changes;
    const read = await readRunTimeLimits(store);
    if (read && before === changes) apply(read);
  }

  return {
    /** The limits on calls of the blob store. */
    blobs: { fetch, write },
    current: () => limits,
    /** Applied in this process and stored when it resolves. Other processes follow. */
    async change(changed: Partial<RunTimeLimits>) {
      const next = await changeRunTimeLimits(store, changed);
      changes += 1;
      apply(next);
    },
    ...repeatedly(followMs, () => follow().catch(() => undefined)),
  };
}
