import type { Cid } from './cid.ts';
import { DigestSet } from './digest-set.ts';

type Named = Pick<Cid, 'codec' | 'multihash' | 'digest'>;

/** A set of CIDs. Only their digests take memory. */
export class CidSet {
  readonly #sets = { blake3: new Map<number, DigestSet>(), 'sha2-256': new Map<number, DigestSet>() };

  /** @returns whether the CID is new. */
  add({ codec, multihash, digest }: Named): boolean {
    return this.#sets[multihash].getOrInsertComputed(codec, () => new DigestSet()).add(digest);
  }

  has({ codec, multihash, digest }: Named): boolean {
    return this.#sets[multihash].get(codec)?.has(digest) ?? false;
  }
}
