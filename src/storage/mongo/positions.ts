import { randomBytes } from 'node:crypto';

const processBytes = 5;
export const positionBytes = 9 + processBytes;
const mostInMs = 2 ** 24;

/**
 * Places in the order in which statements were stored: 6 bytes of milliseconds since 1970, 3 that count within one,
 * 5 of whoever gave the place. They sort as bytes, are given once only, and each is greater than those before it,
 * also where the clock stands still or goes back.
 */
export class Positions {
  readonly #own = randomBytes(processBytes);
  #ms = 0;
  #count = 0;

  /** @param now milliseconds since 1970 by the clock that all processes share. */
  next(now: number): Uint8Array {
    this.#count += 1;
    if (now > this.#ms) this.#begin(now);
    else if (this.#count === mostInMs) this.#begin(this.#ms + 1);
    const position = Buffer.allocUnsafe(positionBytes);
    position.writeUIntBE(this.#ms, 0, 6);
    position.writeUIntBE(this.#count, 6, 3);
    position.set(this.#own, 9);
    return position;
  }

  #begin(ms: number): void {
    this.#ms = ms;
    this.#count = 0;
  }
}

/** Greater than every position. */
export const endOfPositions: Uint8Array = Buffer.alloc(positionBytes, 0xff);
