import { asBuffer } from './hashing.ts';

/** A set of digests in insertion order. Strings take less memory than byte arrays. */
export class DigestSet {
  readonly #keys = new Set<string>();

  get size(): number {
    return this.#keys.size;
  }

  /** @returns whether the digest is new. */
  add(digest: Uint8Array): boolean {
    const { size } = this.#keys;
    return this.#keys.add(digestKey(digest)).size > size;
  }

  has(digest: Uint8Array): boolean {
    return this.#keys.has(digestKey(digest));
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (const key of this.#keys) yield Buffer.from(key, 'latin1');
  }
}

/** A digest as a key of a map. */
export function digestKey(digest: Uint8Array): string {
  return asBuffer(digest).toString('latin1');
}
