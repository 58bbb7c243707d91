import { defaultRunTimeLimits, type RunTimeLimits } from '../domain/integrity/dynamic-config.ts';
import type {
  BlobContent,
  BlobStore,
  RunTimeLimitStore,
  StagedBlob,
  WriteLimit,
} from '../domain/integrity/ports.ts';
import { ConcurrencyGate } from './concurrency-gate.ts';

export interface BlobGates {
  readonly fetch: ConcurrencyGate;
  readonly write: ConcurrencyGate;
}

export interface LimitedBlobs {
  readonly blobs: BlobStore;
  /** For work that holds one write permit as a whole. Inside of it, use the blobs without limits. */
  readonly writes: WriteLimit;
  readonly runTimeLimits: {
    current(): RunTimeLimits;
    /** In force, and kept, when it resolves. */
    change(limits: RunTimeLimits): Promise<void>;
  };
}

/** Puts a blob store under the limits that are kept in the store. @param waitMs for how long a turn is waited for. */
export async function openLimitedBlobs(
  blobs: BlobStore,
  store: RunTimeLimitStore,
  waitMs: number,
): Promise<LimitedBlobs> {
  let limits = (await store.read()) ?? defaultRunTimeLimits;
  const gates = {
    fetch: new ConcurrencyGate(limits.blobStoreFetchConcurrency, waitMs),
    write: new ConcurrencyGate(limits.blobStoreWriteConcurrency, waitMs),
  };
  return {
    blobs: limitedBlobs(blobs, gates),
    writes: gates.write,
    runTimeLimits: {
      current: () => limits,
      async change(changed) {
        await store.write(changed);
        limits = changed;
        gates.fetch.setLimit(changed.blobStoreFetchConcurrency);
        gates.write.setLimit(changed.blobStoreWriteConcurrency);
      },
    },
  };
}

/**
 * A read holds a fetch permit from `read` until its content is read to its end, left or disposed of; a write
 * holds a write permit from `stage` until `commit` or `discard` is over.
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

/** Not a generator: one that was never started would not notice that it is left. */
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
