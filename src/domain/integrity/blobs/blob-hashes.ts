import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { type Cid, codecs, makeCid } from '../identifiers/cid.ts';
import type { Digests, FurtherHash } from '../identifiers/hashing.ts';

const digest = z.string().min(1);

/**
 * The digests of the bytes of each stored blob, computed from these bytes, in base64url. So every digest names them. They
 * follow from the blob, so migrations make them again.
 */
export const blobHashes = collection('blob_hashes', {
  shape: z.object({
    blake3: digest,
    sha256: digest,
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

const indexOf = {
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
  const value = Buffer.from(hex, 'hex').toString('base64url');
  return (await records.among(indexOf[hash], [value], mostWithDigest)).flat();
}

/** The raw CIDs of bytes, that of BLAKE3 first. */
export function cidsOfHashes({ blake3, sha256 }: Pick<BlobHashRecord, 'blake3' | 'sha256'>): [Cid, Cid] {
  return [
    makeCid(codecs.raw, Buffer.from(blake3, 'base64url')),
    makeCid(codecs.raw, Buffer.from(sha256, 'base64url'), 'sha2-256'),
  ];
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
