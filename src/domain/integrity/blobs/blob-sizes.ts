import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { type Cid, digestHex } from '../identifiers/cid.ts';
import type { BlobContent, BlobStore, StagedBlob } from '../ports.ts';
import { smallBytes, throwDamaged } from './verified-blobs.ts';

/** The sizes of large blobs, so that a truncated one is refused before its first byte. */
export const blobSizes = collection('blob_sizes', {
  shape: z.object({ name: z.string(), size: z.int() }),
  key: 'name',
  isTransient: true,
});

type Sizes = Pick<RecordsOf<typeof blobSizes>, 'get' | 'insert'>;

/** Keeps the size of each large blob that is stored. Blobs that were stored before have none. */
export function withKnownSizes(blobs: BlobStore, sizes: Sizes): BlobStore {
  return {
    size: (cid) => blobs.size(cid),
    stage: async () => withKnownSize(await blobs.stage(), sizes),
    async read(cid, range) {
      const content = await blobs.read(cid, range);
      if (content && content.size > smallBytes) await assertSize(content, cid, sizes);
      return content;
    },
  };
}

function withKnownSize(staged: StagedBlob, sizes: Sizes): StagedBlob {
  let size = 0;
  return {
    async write(chunk) {
      await staged.write(chunk);
      size += chunk.length;
    },
    finish: () => staged.finish(),
    async commit(cid) {
      // A size without its blob is harmless, because it follows from the name.
      try {
        if (size > smallBytes) await sizes.insert([{ name: nameOf(cid), size }]);
      } catch (error) {
        await staged.discard();
        throw error;
      }
      return await staged.commit(cid);
    },
    discard: () => staged.discard(),
  };
}

async function assertSize(content: BlobContent, cid: Cid, sizes: Sizes): Promise<void> {
  const known = await sizes.get(nameOf(cid));
  if (!known || known.size === content.size) return;
  await content[Symbol.asyncDispose]();
  throwDamaged(cid);
}

function nameOf(cid: Cid): string {
  return `${cid.multihash}-${digestHex(cid)}`;
}
