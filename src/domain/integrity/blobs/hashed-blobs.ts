import { smallContentBytes } from '../../bucket.ts';
import { digestsOf, type FurtherHash } from '../identifiers/hashing.ts';
import type { BlobStore, SmallBlob, StagedBlob } from '../ports.ts';
import { type BlobHashRecords, hashRecord, keepHashes } from './blob-hashes.ts';
import { blobName } from './blob-names.ts';
import { type DigestReferences, digestReferenceIn } from './digest-references.ts';
import type { UnhashedBlobs } from './hash-unhashed.ts';

export interface HashedBlobsPorts {
  readonly hashes: Pick<BlobHashRecords, 'insert' | 'get' | 'update'>;
  readonly unhashed: Pick<UnhashedBlobs, 'insert'>;
  readonly references: Pick<DigestReferences, 'insert'>;
  readonly further: readonly FurtherHash[];
  readonly now: () => Date;
}

/** Keeps the digests of small blobs at once, which takes less time than asking a thread to. Notes the others for a thread. */
export function hashedBlobs(blobs: BlobStore, ports: HashedBlobsPorts): BlobStore {
  return {
    ...blobs,
    stage: async () => hashed(await blobs.stage(), ports),
    async putSmall(small) {
      const [few, many] = [[], []] as [SmallBlob[], SmallBlob[]];
      for (const one of small) (one.bytes.length <= smallContentBytes ? few : many).push(one);
      const noted = ports.now().getTime();
      const [, , , outcomes] = await Promise.all([
        keepHashes(
          ports.hashes,
          few.map(({ bytes }) => hashRecord(digestsOf(bytes, ports.further), bytes.length)),
        ),
        ports.references.insert(few.flatMap(({ bytes }) => digestReferenceIn(bytes) ?? [])),
        ports.unhashed.insert(many.map(({ cid }) => ({ name: blobName(cid), dueAt: noted, notedAt: noted }))),
        blobs.putSmall(small),
      ]);
      return outcomes;
    },
  };
}

function hashed(
  staged: StagedBlob,
  { hashes, unhashed, references, further, now }: HashedBlobsPorts,
): StagedBlob {
  let chunks: Uint8Array[] = [];
  let size = 0;
  return {
    ...staged,
    async write(chunk) {
      await staged.write(chunk);
      size += chunk.length;
      // The caller may use its chunk again.
      if (size <= smallContentBytes) chunks.push(Uint8Array.from(chunk));
      else chunks = [];
    },
    async commit(cid) {
      if (size > smallContentBytes) {
        const at = now().getTime();
        // Before the blob, so that it is not forgotten when this process is killed.
        await orDiscard(staged, unhashed.insert([{ name: blobName(cid), dueAt: at, notedAt: at }]));
        return await staged.commit(cid);
      }
      // Both at once, because each waits for the disk. Who stores the blob again repeats both.
      const bytes = Buffer.concat(chunks);
      const reference = digestReferenceIn(bytes);
      const keeping = [
        keepHashes(hashes, [hashRecord(digestsOf(bytes, further), size)]),
        ...(reference ? [references.insert([reference])] : []),
      ];
      const [stored] = await Promise.all([staged.commit(cid), orDiscard(staged, Promise.all(keeping))]);
      return stored;
    },
  };
}

/** What fails before a blob is stored discards it. */
export async function orDiscard(staged: StagedBlob, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    await staged.discard();
    throw error;
  }
}
