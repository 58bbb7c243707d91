import { LRUCache } from 'lru-cache';
import type { BlobStore } from '../ports.ts';
import { blobName } from './blob-names.ts';

const mostBytes = 16 << 20;
const bytesEach = 200;
/** Another process may remove a blob, because it is damaged. */
const rememberedMs = 60_000;

/**
 * Remembers small blobs that were stored together, because they are read again at once: to index the names in them, and to see
 * which documents of the next file are stored already.
 */
export function recentBlobs(blobs: BlobStore): BlobStore {
  const recent = new LRUCache<string, Uint8Array>({
    maxSize: mostBytes,
    sizeCalculation: ({ length }) => length + bytesEach,
    ttl: rememberedMs,
  });
  return {
    ...blobs,
    async putSmall(small) {
      const outcomes = await blobs.putSmall(small);
      for (const [at, { cid, bytes }] of small.entries())
        if (outcomes[at] === 'stored') recent.set(blobName(cid), new Uint8Array(bytes));
      return outcomes;
    },
    async readSmall(cids, limit) {
      const found = cids.map((cid) => recent.get(blobName(cid)));
      const others = cids.filter((_, at) => !found[at]);
      const read = others.length > 0 ? await blobs.readSmall(others, limit) : [];
      return found.map((bytes) => (bytes ? (bytes.length <= limit ? bytes : undefined) : read.shift()));
    },
  };
}
