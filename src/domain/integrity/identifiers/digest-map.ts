import { DigestSet } from './digest-set.ts';

const digestLength = 32;

/** Digests by digests, of 32 bytes each. */
export class DigestMap {
  readonly #keys = new DigestSet();
  #values = new Uint8Array(16 * digestLength);

  /** An earlier value stays. */
  add(key: Uint8Array, value: Uint8Array): void {
    const place = this.#keys.size * digestLength;
    if (!this.#keys.add(key)) return;
    if (place === this.#values.length) {
      const larger = new Uint8Array(2 * place);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values.set(value, place);
  }

  has(key: Uint8Array): boolean {
    return this.#keys.has(key);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const place = this.#keys.indexOf(key) * digestLength;
    return place < 0 ? undefined : this.#values.slice(place, place + digestLength);
  }
}
