import { blake3 } from '@noble/hashes/blake3.js';

// What the domain uses of @napi-rs/blake-hash, for browsers.

export class Blake3Hasher {
  readonly #state = blake3.create();

  update(chunk: Uint8Array): void {
    this.#state.update(chunk);
  }

  digestBuffer(): Uint8Array {
    return this.#state.digest();
  }
}

export function blake3UrlSafeBase64(input: Uint8Array | string): string {
  const digest = blake3(typeof input === 'string' ? Buffer.from(input) : input);
  return `${Buffer.from(digest).toString('base64url')}=`;
}
