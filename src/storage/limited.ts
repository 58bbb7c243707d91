import {
  changeRunTimeLimits,
  defaultRunTimeLimits,
  type RunTimeLimits,
  readRunTimeLimits,
  type StoredLimits,
} from '../domain/integrity/dynamic-config.ts';
import type { BlobContent, BlobStore, StagedBlob, WriteLimit } from '../domain/integrity/ports.ts';
import { repeat } from './repeat.ts';
import { Semaphore } from './semaphore.ts';

/** All processes must apply a change within two seconds. */
const followMs = 1_000;

export interface BlobGates {
  readonly fetch: Semaphore;
  readonly write: Semaphore;
}

export interface LimitedBlobs extends Disposable {
  readonly blobs: BlobStore;
  /** For work that holds one write permit as a whole. Such work must use the blobs without limits. */
  readonly writes: WriteLimit;
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
    fetch: new Semaphore(limits.blobStoreFetchConcurrency, waitMs),
    write: new Semaphore(limits.blobStoreWriteConcurrency, waitMs),
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
    writes: gates.write,
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

/**
 * A read holds a fetch permit from `read` until its content is read to the end, left or disposed of. A write holds a
 * write permit from `stage` until `commit` or `discard` resolves.
 */
export function limitedBlobs(blobs: BlobStore, gates: BlobGates): BlobStore {
  return {
    size: (cid) => blobs.size(cid),
    async stage() {
      const leave = await gates.write.enter();
      try {
        return leavingBlob(await blobs.stage(), leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
    async read(cid, range) {
      const leave = await gates.fetch.enter();
      try {
        const content = await blobs.read(cid, range);
        if (content) return leavingContent(content, leave);
        leave();
        return undefined;
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

function leavingBlob(staged: StagedBlob, leave: () => void): StagedBlob {
  return {
    write: (chunk) => staged.write(chunk),
    finish: () => staged.finish(),
    commit: (cid) => staged.commit(cid).finally(leave),
    discard: () => staged.discard().finally(leave),
  };
}

/** Not a generator, because a generator that was never started does not notice that it is left. */
function leavingContent(content: BlobContent, leave: () => void): BlobContent {
  const bytes = content.bytes[Symbol.asyncIterator]();
  const dispose = async () => {
    try {
      await content[Symbol.asyncDispose]();
    } finally {
      leave();
    }
  };
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      try {
        const result = await bytes.next();
        if (result.done) leave();
        return result;
      } catch (error) {
        leave();
        throw error;
      }
    },
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
