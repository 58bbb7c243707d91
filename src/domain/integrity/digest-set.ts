const words = 4;
const firstSlots = 1 << 10;

/**
 * A set of digests, of which it keeps 16 bytes: millions of them in little memory. Only for digests that were
 * computed, so that nobody chooses what they begin with.
 */
export class DigestSet {
  #slots = new Uint32Array(firstSlots * words);
  #size = 0;
  /** The digest that begins with zeros alone looks like a free slot. */
  #hasZero = false;

  get size(): number {
    return this.#size;
  }

  /** @returns whether it is new. */
  add(digest: Uint8Array): boolean {
    if ((this.#size + 1) * words * 2 > this.#slots.length) this.#grow();
    const key = keyOf(digest);
    if (isFree(key, 0)) {
      if (this.#hasZero) return false;
      this.#hasZero = true;
    } else {
      const slot = find(this.#slots, key);
      if (!isFree(this.#slots, slot)) return false;
      this.#slots.set(key, slot);
    }
    this.#size += 1;
    return true;
  }

  has(digest: Uint8Array): boolean {
    const key = keyOf(digest);
    return isFree(key, 0) ? this.#hasZero : !isFree(this.#slots, find(this.#slots, key));
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
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
  const mask = slots.length - 1;
  let at = ((key[0] ?? 0) * words) & mask;
  while (!isFree(slots, at) && !isSame(slots, at, key)) at = (at + words) & mask;
  return at;
}

function isSame(slots: Uint32Array, at: number, key: Uint32Array): boolean {
  for (let word = 0; word < words; word += 1) if (slots[at + word] !== key[word]) return false;
  return true;
}
