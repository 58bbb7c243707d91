import {
  changeRunTimeLimits,
  defaultRunTimeLimits,
  type RunTimeLimits,
  readRunTimeLimits,
  type StoredLimits,
} from '../domain/integrity/dynamic-config.ts';
import type { BlobContent, BlobStore, WorkLimit, WriteLimit } from '../domain/integrity/ports.ts';
import { Semaphore } from '../domain/semaphore.ts';
import { repeat } from './repeat.ts';

/** All processes must apply a change within two seconds. */
const followMs = 1_000;

export interface BlobGates {
  readonly fetch: Semaphore;
  readonly write: Semaphore;
}

export interface LimitedBlobs extends Disposable {
  readonly blobs: BlobStore;
  /** The same blobs for the requests of one caller, who shares the permits with others. */
  blobsOf(caller: string): BlobStore;
  /** For work that holds one write permit as a whole. Such work must use the blobs without limits. */
  readonly writes: WriteLimit;
  /** For reading how much they are used. */
  readonly gates: { readonly fetch: Pick<Semaphore, 'load'>; readonly write: Pick<Semaphore, 'load'> };
  readonly runTimeLimits: {
    current(): RunTimeLimits;
    /** Applied in this process and stored when it resolves. Other processes follow. */
    change(changes: Partial<RunTimeLimits>): Promise<void>;
  };
}

/**
 * Puts a blob store under the stored limits, and follows their changes.
 * @param waitMs how long to wait for a permit.
 */
export async function openLimitedBlobs(
  blobs: BlobStore,
  store: StoredLimits,
  waitMs: number,
): Promise<LimitedBlobs> {
  let limits = (await readRunTimeLimits(store)) ?? defaultRunTimeLimits;
  let changes = 0;
  const gates = {
    fetch: new Semaphore(limits.blobStoreFetchConcurrency, { waitMs }),
    write: new Semaphore(limits.blobStoreWriteConcurrency, { waitMs }),
  };

  function apply(changed: RunTimeLimits): void {
    limits = changed;
    gates.fetch.setLimit(changed.blobStoreFetchConcurrency);
    gates.write.setLimit(changed.blobStoreWriteConcurrency);
  }

  /** Ignores limits that were read while this process changed them, because they may be old. */
  async function follow(): Promise<void> {
    const before = changes;
    const read = await readRunTimeLimits(store);
    if (read && before === changes) apply(read);
  }

  return {
    blobs: limitedBlobs(blobs, gates),
    blobsOf: (caller) => limitedBlobs(blobs, gates, caller),
    writes: gates.write,
    gates,
    runTimeLimits: {
      current: () => limits,
      async change(changed) {
        const next = await changeRunTimeLimits(store, changed);
        changes += 1;
        apply(next);
      },
    },
    ...repeat(followMs, follow),
  };
}

/** Each call of the store holds a permit. A silent client holds none. */
export function limitedBlobs(blobs: BlobStore, { fetch, write }: BlobGates, caller = ''): BlobStore {
  const fetching = <Result>(work: () => Promise<Result>) => fetch.run(work, caller);
  const writing = <Result>(work: () => Promise<Result>) => write.run(work, caller);
  return {
    size: (cid) => blobs.size(cid),
    async stage() {
      const staged = await writing(() => blobs.stage());
      return {
        write: (chunk) => writing(() => staged.write(chunk)),
        finish: () => writing(() => staged.finish()),
        commit: (cid) => writing(() => staged.commit(cid)),
        discard: () => staged.discard(),
      };
    },
    async read(cid, range) {
      const content = await fetching(() => blobs.read(cid, range));
      return content && limitedContent(content, fetching);
    },
  };
}

/** Not a generator, because a generator that was never started does not notice that it is left. */
function limitedContent(content: BlobContent, fetching: WorkLimit['run']): BlobContent {
  const bytes = content.bytes[Symbol.asyncIterator]();
  const dispose = () => content[Symbol.asyncDispose]();
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => fetching(() => bytes.next()),
    async return() {
      await dispose();
      return { done: true, value: undefined };
    },
  };
  return {
    size: content.size,
    bytes: { [Symbol.asyncIterator]: () => iterator },
    [Symbol.asyncDispose]: dispose,
  };
}
