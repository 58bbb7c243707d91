/** Where a statement stands in the order of ids. */
export interface OrderEntry {
  readonly idStart: Uint8Array;
  readonly seq: number;
}

interface Source {
  readonly rest: Iterator<OrderEntry>;
  head: OrderEntry;
}

/** Merges ordered sources into one order: a binary heap of their heads. */
export class EntryQueue {
  readonly #heap: Source[] = [];

  add(entries: Iterable<OrderEntry>): void {
    const rest = entries[Symbol.iterator]();
    const { value, done } = rest.next();
    if (done) return;
    this.#heap.push({ rest, head: value });
    this.#rise(this.#heap.length - 1);
  }

  /** The first entry of all; undefined when there are no more. */
  take(): OrderEntry | undefined {
    const [first] = this.#heap;
    if (!first) return undefined;
    const entry = first.head;
    const { value, done } = first.rest.next();
    if (!done) first.head = value;
    else this.#drop();
    this.#sink();
    return entry;
  }

  #drop(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) this.#heap[0] = last;
  }

  #rise(at: number): void {
    for (let parent = (at - 1) >> 1; at > 0 && this.#isBefore(at, parent); parent = (at - 1) >> 1) {
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (this.#isBefore(left, first)) first = left;
      if (this.#isBefore(right, first)) first = right;
      if (first === at) return;
      this.#swap(at, first);
      at = first;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one]?.head, this.#heap[other]?.head];
    return a !== undefined && b !== undefined && compare(a, b) < 0;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (!a || !b) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}

function compare(one: OrderEntry, other: OrderEntry): number {
  return Buffer.compare(one.idStart, other.idStart) || one.seq - other.seq;
}
