const words = 4;
const shards = 256;
const firstSlots = 64;
/** Tables grow by little at a time, and each at another time, so that they never hold much that is free. */
const growth = 1.25;
const fullest = 0.8;

/**
 * A set of digests, of which it keeps 16 bytes: millions of them in little memory, 20 to 25 bytes each. Only for
 * digests that were computed, so that nobody chooses what they begin with.
 */
export class DigestSet {
  readonly #tables = Array.from(
    { length: shards },
    (_, at) => new DigestTable(Math.round(firstSlots * growth ** (at / shards))),
  );
  /** The digest that begins with zeros alone looks like a free slot. */
  #hasZero = false;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns whether it is new. */
  add(digest: Uint8Array): boolean {
    const key = keyOf(digest);
    if (isFree(key, 0)) {
      if (this.#hasZero) return false;
      this.#hasZero = true;
    } else if (!this.#tableOf(key).add(key)) {
      return false;
    }
    this.#size += 1;
    return true;
  }

  has(digest: Uint8Array): boolean {
    const key = keyOf(digest);
    return isFree(key, 0) ? this.#hasZero : this.#tableOf(key).has(key);
  }

  #tableOf(key: Uint32Array): DigestTable {
    return this.#tables[(key[0] ?? 0) % shards] as DigestTable;
  }
}

/** Open addressing with linear probing; slots in the order of the keys' second word. */
class DigestTable {
  #slots: Uint32Array;
  #size = 0;

  constructor(slots: number) {
    this.#slots = new Uint32Array(slots * words);
  }

  add(key: Uint32Array): boolean {
    const slot = find(this.#slots, key);
    if (!isFree(this.#slots, slot)) return false;
    this.#slots.set(key, slot);
    this.#size += 1;
    if (this.#size * words > this.#slots.length * fullest) this.#grow();
    return true;
  }

  has(key: Uint32Array): boolean {
    return !isFree(this.#slots, find(this.#slots, key));
  }

  #grow(): void {
    const count = this.#slots.length / words;
    const slots = new Uint32Array(Math.ceil(count * growth) * words);
    for (let at = 0; at < this.#slots.length; at += words) {
      if (isFree(this.#slots, at)) continue;
      const key = this.#slots.subarray(at, at + words);
      slots.set(key, find(slots, key));
    }
    this.#slots = slots;
  }
}

const scratch = new Uint8Array(words * 4);
const scratchWords = new Uint32Array(scratch.buffer);

/** Good until the next call. */
function keyOf(digest: Uint8Array): Uint32Array {
  scratch.set(digest.subarray(0, words * 4));
  return scratchWords;
}

function isFree(slots: Uint32Array, at: number): boolean {
  return slots[at] === 0 && slots[at + 1] === 0 && slots[at + 2] === 0 && slots[at + 3] === 0;
}

/** Where the key is, or the free slot where it belongs. */
function find(slots: Uint32Array, key: Uint32Array): number {
  const count = slots.length / words;
  let at = Math.floor(((key[1] ?? 0) / 2 ** 32) * count) * words;
  while (!isFree(slots, at) && !isSame(slots, at, key)) at = (at + words) % slots.length;
  return at;
}

function isSame(slots: Uint32Array, at: number, key: Uint32Array): boolean {
  for (let word = 0; word < words; word += 1) if (slots[at + word] !== key[word]) return false;
  return true;
}
