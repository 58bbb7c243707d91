import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { type Cid, cidOfDigest, codecs, makeCid } from '../identifiers/cid.ts';
import type { Digests, FurtherHash, MultihashName } from '../identifiers/hashing.ts';

const digest = z.string().min(1);

/**
 * The digests of the bytes of each stored blob, computed from these bytes, so that each of them names the bytes. They follow
 * from the blob, so migrations make them again.
 */
export const blobHashes = collection('blob_hashes', {
  shape: z.object({
    /** The raw CIDs of the bytes. */
    blake3: z.string().min(1),
    sha256: z.string().min(1),
    /** Other digests in base64url. */
    sha512: digest.nullable(),
    /** SHA-1 of the git blob object. */
    git: digest.nullable(),
    md5: digest.nullable(),
    size: z.int().min(0),
  }),
  key: 'blake3',
  indexes: { bySha256: ['sha256'], bySha512: ['sha512'], byGit: ['git'], byMd5: ['md5'] },
  isTransient: true,
});

export type BlobHashRecords = RecordsOf<typeof blobHashes>;
export type BlobHashRecord = Readonly<z.output<typeof blobHashes.shape>>;

/** What a digest of a blob can be made with. */
export type BlobHash = keyof Digests;

export const indexOf = {
  blake3: 'key',
  sha256: 'bySha256',
  sha512: 'bySha512',
  git: 'byGit',
  md5: 'byMd5',
} as const satisfies Record<BlobHash, string>;

/** Digests have this many bytes. */
export const digestBytes: Readonly<Record<BlobHash, number>> = {
  blake3: 32,
  sha256: 32,
  sha512: 64,
  git: 20,
  md5: 16,
};

/** More blobs with one digest are made on purpose, because MD5 and SHA-1 collide. */
const mostWithDigest = 10;

/**
 * The stored blobs whose bytes have a digest. Several only if somebody has made them collide (MD5, git). Whether a caller may
 * know of a blob is another question: see `ContentReach`.
 * @param hex the whole digest.
 */
export async function blobsWithDigest(
  records: Pick<BlobHashRecords, 'among'>,
  hash: BlobHash,
  hex: string,
): Promise<readonly BlobHashRecord[]> {
  if (hex.length !== 2 * digestBytes[hash] || !/^[0-9a-f]*$/i.test(hex)) return [];
  const bytes = Buffer.from(hex, 'hex');
  const isInCids = hash === 'blake3' || hash === 'sha256';
  const value = isInCids ? cidOfDigest(hash, bytes).text : bytes.toString('base64url');
  return (await records.among(indexOf[hash], [value], mostWithDigest)).flat();
}

/** The raw CIDs of bytes, that of BLAKE3 first. */
export function cidsOfHashes({
  blake3,
  sha256,
}: Pick<BlobHashRecord, 'blake3' | 'sha256'>): [string, string] {
  return [blake3, sha256];
}

export function hashRecord({ blake3, sha256, ...further }: Digests, size: number): BlobHashRecord {
  const rawCid = (digest: string, multihash: MultihashName) =>
    makeCid(codecs.raw, Buffer.from(digest, 'base64url'), multihash).text;
  return { blake3: rawCid(blake3, 'blake3'), sha256: rawCid(sha256, 'sha2-256'), ...further, size };
}

/** The records of bytes by any of their CIDs. The codec does not matter. */
export async function recordsOfCids(
  hashes: Pick<BlobHashRecords, 'among'>,
  cids: readonly Cid[],
): Promise<BlobHashRecord[]> {
  const rawCids = (wanted: MultihashName) => [
    ...new Set(
      cids
        .filter(({ multihash }) => multihash === wanted)
        .map(({ digest, multihash }) => makeCid(codecs.raw, digest, multihash).text),
    ),
  ];
  return await recordsOfRaw(hashes, rawCids('blake3'), rawCids('sha2-256'));
}

/** The records of bytes by their raw CIDs. */
export async function recordsOfRaw(
  hashes: Pick<BlobHashRecords, 'among'>,
  blake3: readonly string[],
  sha256: readonly string[],
): Promise<BlobHashRecord[]> {
  const found = await Promise.all([
    blake3.length > 0 ? hashes.among('key', blake3, 1) : [],
    sha256.length > 0 ? hashes.among('bySha256', sha256, 1) : [],
  ]);
  return found.flat(2);
}

/** Keeps the digests of bytes. Adds those that an earlier record lacks. */
export async function keepHashes(
  records: Pick<BlobHashRecords, 'insert' | 'get' | 'update'>,
  found: readonly BlobHashRecord[],
): Promise<void> {
  const isNew = await records.insert(found);
  for (const [at, record] of found.entries()) {
    if (isNew[at]) continue;
    const known = await records.get(record.blake3);
    const { sha512, git, md5 } = record;
    const missing = Object.entries({ sha512, git, md5 }).filter(
      ([name, value]) => value !== null && known?.[name as FurtherHash] === null,
    );
    if (missing.length > 0) await records.update(record.blake3, {}, Object.fromEntries(missing));
  }
}
