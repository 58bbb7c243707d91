import { createHash, hash } from 'node:crypto';
import { Blake3Hasher, blake3UrlSafeBase64 } from '@napi-rs/blake-hash';

/** Multihash codes. Both digests have 32 bytes. */
export const multihashes = { blake3: 0x1e, 'sha2-256': 0x12 } as const;
export type MultihashName = keyof typeof multihashes;

export interface Hasher {
  update(chunk: Uint8Array): void;
  digest(): Uint8Array;
}

export function hasher(multihash: MultihashName): Hasher {
  return multihash === 'blake3' ? blake3Hasher() : createHash('sha256');
}

/** Hashes under which other tools know bytes, beside those of CIDs. `git` is the SHA-1 of a git blob object. */
export const furtherHashes = ['sha512', 'git', 'md5'] as const;
export type FurtherHash = (typeof furtherHashes)[number];
export const usualHashes: readonly FurtherHash[] = ['sha512', 'git'];

/** The digests of the same bytes in base64url without padding; null for those that nobody asked for. */
export type Digests = Readonly<Record<'blake3' | 'sha256', string> & Record<FurtherHash, string | null>>;

export interface DigestsHasher extends Pick<Hasher, 'update'> {
  digests(): Digests;
}

/** @param size of all bytes, which a git blob object begins with. */
export function digestsHasher(size: number, wanted: readonly FurtherHash[]): DigestsHasher {
  const [blake3, sha256] = [blake3Hasher(), createHash('sha256')];
  const further = (name: FurtherHash, algorithm: string) =>
    wanted.includes(name) ? createHash(algorithm) : null;
  const [sha512, git, md5] = [further('sha512', 'sha512'), further('git', 'sha1'), further('md5', 'md5')];
  git?.update(`blob ${size}\0`);
  return {
    update(chunk) {
      for (const hash of [blake3, sha256, sha512, git, md5]) hash?.update(chunk);
    },
    digests: () => ({
      blake3: Buffer.from(blake3.digest()).toString('base64url'),
      sha256: sha256.digest('base64url'),
      sha512: sha512?.digest('base64url') ?? null,
      git: git?.digest('base64url') ?? null,
      md5: md5?.digest('base64url') ?? null,
    }),
  };
}

/** The digests of bytes in memory. Quicker than a hasher for small ones. */
export function digestsOf(bytes: Uint8Array, wanted: readonly FurtherHash[]): Digests {
  const { length } = bytes;
  const further = (name: FurtherHash, algorithm: string, hashed = bytes) =>
    wanted.includes(name) ? hash(algorithm, hashed, 'base64url') : null;
  return {
    blake3: blake3UrlSafeBase64(asBuffer(bytes)).slice(0, -1),
    sha256: hash('sha256', bytes, 'base64url'),
    sha512: further('sha512', 'sha512'),
    git: further('git', 'sha1', Buffer.concat([Buffer.from(`blob ${length}\0`), bytes])),
    md5: further('md5', 'md5'),
  };
}

/** Whether bytes have this digest. */
export function hasDigest(bytes: Uint8Array, multihash: MultihashName, digest: Uint8Array): boolean {
  return multihash === 'blake3' ? isBlake3(bytes, digest) : Buffer.compare(sha256Digest(bytes), digest) === 0;
}

function blake3Hasher(): Hasher {
  const state = new Blake3Hasher();
  return {
    update: (chunk) => void state.update(asBuffer(chunk)),
    digest: () => new Uint8Array(state.digestBuffer()),
  };
}

/** BLAKE3-256 of bytes, or of a text in UTF-8. A native call returns a text faster than bytes. */
export function blake3Digest(bytes: Uint8Array | string): Uint8Array {
  const text = blake3UrlSafeBase64(typeof bytes === 'string' ? bytes : asBuffer(bytes));
  return new Uint8Array(Buffer.from(text, 'base64url'));
}

/** Whether bytes have this BLAKE3-256. Compares texts, because a digest is written faster than it is read. */
export function isBlake3(bytes: Uint8Array, digest: Uint8Array): boolean {
  return blake3UrlSafeBase64(asBuffer(bytes)) === `${asBuffer(digest).toString('base64url')}=`;
}

/** SHA-256 of bytes, or of a text in UTF-8. */
export function sha256Digest(bytes: Uint8Array | string): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}

/** SHA-256 of a text in UTF-8, in lower-case hexadecimal digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text);
}

/** The same memory as a Buffer, which native hashes need and which can be read as text. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
