/** Hashes take 26 of the 53 bits of an exact number, so that 27 are left. */
const numbers = 2 ** 27;
const hashShift = 6;
const firstRoom = 1 << 10;

/**
 * Numbers by hashes of 32 bits, in 8 bytes each. It is filled first and read afterwards: a read after an addition sorts. Other
 * hashes may have the same numbers, so the reader compares what it finds.
 */
export class Postings {
  #entries = new Float64Array(firstRoom);
  #length = 0;
  #isSorted = true;

  /** @param number of at most 27 bits. */
  add(hash: number, number: number): void {
    if (this.#length === this.#entries.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    const entry = entryOf(hash, number);
    this.#isSorted &&= this.#length === 0 || (this.#entries[this.#length - 1] as number) <= entry;
    this.#entries[this.#length++] = entry;
  }

  /** The numbers of a hash above a number, ascending. */
  *above(hash: number, number: number): Generator<number> {
    const end = this.#placeOf(entryOf(hash, 0) + numbers);
    for (let at = this.#placeOf(entryOf(hash, number) + 1); at < end; at += 1) yield this.#numberAt(at);
  }

  /** The numbers of any of these hashes below a number, descending, each once. */
  *below(hashes: readonly number[], number: number): Generator<number> {
    const ranges = hashes
      .map((hash) => ({ start: this.#placeOf(entryOf(hash, 0)), end: this.#placeOf(entryOf(hash, number)) }))
      .filter(({ start, end }) => start < end);
    for (;;) {
      let highest = -1;
      for (const { start, end } of ranges)
        if (start < end) highest = Math.max(highest, this.#numberAt(end - 1));
      if (highest < 0) return;
      for (const range of ranges)
        while (range.start < range.end && this.#numberAt(range.end - 1) === highest) range.end -= 1;
      yield highest;
    }
  }

  #numberAt(place: number): number {
    return (this.#entries[place] as number) % numbers;
  }

  /** The first place whose entry is not smaller. */
  #placeOf(entry: number): number {
    if (!this.#isSorted) this.#entries.subarray(0, this.#length).sort();
    this.#isSorted = true;
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] as number) < entry) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function entryOf(hash: number, number: number): number {
  return (hash >>> hashShift) * numbers + Math.min(number, numbers - 1);
}

const prime = 0x01000193;
/** Texts may be made up, so that their hash begins with a secret of the process. */
const [start = 0] = crypto.getRandomValues(new Uint32Array(1));

/** FNV-1a over the characters. */
export function hashOfText(text: string): number {
  let hash = start;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  return hash >>> 0;
}
