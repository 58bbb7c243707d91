import { type BlobHashRecord, type BlobHashRecords, indexOf } from '../../blobs/blob-hashes.ts';
import type { DigestReference, DigestReferences } from '../../blobs/digest-references.ts';
import { type SameBytes, sameBytes } from '../../blobs/same-bytes.ts';
import { parseCid } from '../../identifiers/cid.ts';
import { digestsHasher, type FurtherHash, furtherHashes } from '../../identifiers/hashing.ts';
import type { CarriedBlobs } from './carried-blobs.ts';

/** Which CIDs name the same bytes, as in a store with these blobs and documents. @param references the documents. */
export async function carriedSameBytes(
  blobs: CarriedBlobs,
  references: ReadonlyMap<string, DigestReference>,
): Promise<SameBytes> {
  return sameBytes(carriedHashes(blobs, await referredTo(blobs, references)), referenceRecords(references));
}

/** The blobs to which some document refers, by `blake3`. The others need no further hashes. */
async function referredTo(blobs: CarriedBlobs, references: ReadonlyMap<string, DigestReference>) {
  const found = new Map<string, BlobHashRecord>();
  const digests = new Set([...references.values()].map(({ digest }) => digest));
  const wanted = furtherHashes.filter((hash) => [...digests].some((one) => one.startsWith(`${hash}:`)));
  if (wanted.length === 0) return found;
  for await (const { hashes, content } of blobs.all()) {
    const hasher = digestsHasher(hashes.size, wanted);
    for await (const chunk of content.bytes) hasher.update(chunk);
    const { sha512, git, md5 } = hasher.digests();
    const record = { ...hashes, sha512, git, md5 };
    if (wanted.some((hash) => digests.has(`${hash}:${record[hash]}`))) found.set(hashes.blake3, record);
  }
  return found;
}

/** @param referred the blobs with further hashes, by `blake3`. */
export function carriedHashes(
  blobs: CarriedBlobs,
  referred: ReadonlyMap<string, BlobHashRecord> = new Map(),
): Pick<BlobHashRecords, 'among'> {
  const ofCid = (text: string): BlobHashRecord[] => {
    const record = blobs.hashesOf(parseCid(text));
    return record ? [referred.get(record.blake3) ?? record] : [];
  };
  const ofDigest = (hash: FurtherHash | undefined, digest: string) =>
    [...referred.values()].filter((record) => hash && record[hash] === digest);
  return {
    among: async (index, values, limit) =>
      values.map(String).map((value) => {
        if (index === indexOf.blake3 || index === indexOf.sha256) return ofCid(value);
        return ofDigest(
          furtherHashes.find((hash) => indexOf[hash] === index),
          value,
        ).slice(0, limit);
      }),
  };
}

function referenceRecords(
  references: ReadonlyMap<string, DigestReference>,
): Pick<DigestReferences, 'among' | 'page'> {
  const byDigest = Map.groupBy(references.values(), ({ digest }) => digest);
  return {
    among: async (index, values, limit) =>
      values.map(String).map((value) => {
        if (index === 'byDigest') return byDigest.get(value)?.slice(0, limit) ?? [];
        return [references.get(value) ?? []].flat();
      }),
    page: async (_index, _prefix, { limit }) => ({ records: [...references.values()].slice(0, limit) }),
  };
}
