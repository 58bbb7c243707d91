import { randomUUID } from 'node:crypto';

const maxPerMs = 0x1000;

/** UUIDs of version 7 (RFC 9562, section 5.7) in ascending order, with a counter within a millisecond. */
export class OrderedIds {
  #ms = 0;
  #count = 0;

  /** @param now milliseconds since 1970. */
  next(now: number): string {
    this.#count += 1;
    if (now > this.#ms) this.#begin(now);
    else if (this.#count === maxPerMs) this.#begin(this.#ms + 1);
    const time = this.#ms.toString(16).padStart(12, '0');
    const count = this.#count.toString(16).padStart(3, '0');
    const [, , , ...random] = randomUUID().split('-');
    return [time.slice(0, 8), time.slice(8), `7${count}`, ...random].join('-');
  }

  #begin(ms: number): void {
    this.#ms = ms;
    this.#count = 0;
  }
}
