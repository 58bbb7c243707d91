import { blake3 } from '@noble/hashes/blake3.js';
import { createBLAKE3, type IHasher } from 'hash-wasm';

// What the domain uses of @napi-rs/blake-hash, for browsers. WebAssembly is ten times as quick as JavaScript.

let machine: IHasher | undefined;

/** Hashes with WebAssembly from now on. Without it, where a browser refuses it, JavaScript hashes. */
export async function prepareBlake3(): Promise<void> {
  machine ??= await createBLAKE3().catch(() => undefined);
}

/** Hashers take turns in the same memory. */
class QuickHasher {
  static #inMemory: QuickHasher | undefined;
  readonly #machine: IHasher;
  #saved: Uint8Array | undefined;

  constructor(shared: IHasher) {
    this.#machine = shared;
  }

  update(chunk: Uint8Array): void {
    this.#enter();
    this.#machine.update(chunk);
  }

  digest(): Uint8Array {
    this.#enter();
    QuickHasher.#inMemory = undefined;
    return this.#machine.digest('binary');
  }

  #enter(): void {
    const other = QuickHasher.#inMemory;
    if (other === this) return;
    if (other) other.#saved = this.#machine.save();
    if (this.#saved) this.#machine.load(this.#saved);
    else this.#machine.init();
    QuickHasher.#inMemory = this;
  }
}

export class Blake3Hasher {
  readonly #state = machine ? new QuickHasher(machine) : blake3.create();

  update(chunk: Uint8Array): void {
    this.#state.update(chunk);
  }

  digestBuffer(): Uint8Array {
    return this.#state.digest();
  }
}

export function blake3UrlSafeBase64(input: Uint8Array | string): string {
  const hasher = new Blake3Hasher();
  hasher.update(typeof input === 'string' ? Buffer.from(input) : input);
  return `${Buffer.from(hasher.digestBuffer()).toString('base64url')}=`;
}
