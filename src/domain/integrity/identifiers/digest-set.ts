import { asBuffer } from './hashing.ts';

const digestLength = 32;
const wordBytes = 4;
const words = digestLength / wordBytes;
const firstRoom = 16;

/**
 * A set of digests of 32 bytes in insertion order: a hash table in 40 to 80 bytes for each of them, without objects. Digests may
 * be made up, so their hash is a secret of the process.
 */
export class DigestSet {
  /** The digests one after the other. */
  #digests = new Uint32Array(firstRoom * words);
  /** The numbers of digests, from 1, in the first free slot from their hash on. Half of the slots are free. */
  #slots = new Uint32Array(2 * firstRoom);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns whether the digest is new. */
  add(digest: Uint8Array): boolean {
    const slot = this.#slotOf(wordsOf(digest), 0);
    if (this.#slots[slot] !== 0) return false;
    if (2 * this.#size === this.#slots.length) {
      this.#grow();
      return this.add(digest);
    }
    this.#digests.set(given, this.#size * words);
    this.#size += 1;
    this.#slots[slot] = this.#size;
    return true;
  }

  has(digest: Uint8Array): boolean {
    return this.indexOf(digest) >= 0;
  }

  /** Its place in the order of insertion; -1 if it is not there. */
  indexOf(digest: Uint8Array): number {
    return (this.#slots[this.#slotOf(wordsOf(digest), 0)] as number) - 1;
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (let number = 0; number < this.#size; number += 1)
      yield Buffer.from(this.#digests.slice(number * words, (number + 1) * words).buffer);
  }

  /** The slot of a digest, or the free one for it. */
  #slotOf(source: Uint32Array, start: number): number {
    const last = this.#slots.length - 1;
    for (let slot = hashOf(source, start) & last; ; slot = (slot + 1) & last) {
      const number = this.#slots[slot] as number;
      if (number === 0 || this.#isAt(number - 1, source, start)) return slot;
    }
  }

  #isAt(number: number, source: Uint32Array, start: number): boolean {
    const place = number * words;
    for (let at = 0; at < words; at += 1) if (this.#digests[place + at] !== source[start + at]) return false;
    return true;
  }

  #grow(): void {
    const digests = new Uint32Array(2 * this.#digests.length);
    digests.set(this.#digests);
    this.#digests = digests;
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let number = 0; number < this.#size; number += 1)
      this.#slots[this.#slotOf(digests, number * words)] = number + 1;
  }
}

/** The digest that a call is about, as words. */
const given = new Uint32Array(words);
const givenBytes = new Uint8Array(given.buffer);

/** @throws RangeError unless it has 32 bytes. */
function wordsOf(digest: Uint8Array): Uint32Array {
  if (digest.length !== digestLength) throw new RangeError(`A digest has ${digest.length} bytes.`);
  givenBytes.set(digest);
  return given;
}

/** Odd numbers. */
const secrets = crypto.getRandomValues(new Uint32Array(words)).map((word) => word | 1);

function hashOf(source: Uint32Array, start: number): number {
  let hash = 0;
  for (let at = 0; at < words; at += 1)
    hash = Math.imul(hash ^ (source[start + at] as number), secrets[at] as number) ^ (hash >>> 15);
  return hash ^ (hash >>> 16);
}

/** A hash of 32 bits, which nobody outside of the process can choose. */
export function digestHash(digest: Uint8Array): number {
  return hashOf(wordsOf(digest), 0) >>> 0;
}

/** A digest as a key of a map. */
export function digestKey(digest: Uint8Array): string {
  return asBuffer(digest).toString('latin1');
}
