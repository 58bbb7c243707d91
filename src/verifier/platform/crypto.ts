import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { ml_dsa44 as mlDsa44 } from '@noble/post-quantum/ml-dsa.js';

// What the domain uses of node:crypto, for browsers. It accepts the same signatures as OpenSSL.

const algorithms = { md5, sha1, sha256, sha384, sha512 } as const;
type Algorithm = keyof typeof algorithms;
type Encoding = 'hex' | 'base64' | 'base64url' | 'buffer';

function encoded(digest: Uint8Array, encoding: Encoding): string | Uint8Array {
  return encoding === 'buffer' ? Buffer.from(digest) : Buffer.from(digest).toString(encoding);
}

const bytesOf = (data: Uint8Array | string) => (typeof data === 'string' ? Buffer.from(data) : data);

export function hash(algorithm: Algorithm, data: Uint8Array | string, encoding: Encoding = 'hex') {
  return encoded(algorithms[algorithm](bytesOf(data)), encoding);
}

export function createHash(algorithm: Algorithm) {
  const state = algorithms[algorithm].create();
  const hashing = {
    update(data: Uint8Array | string) {
      state.update(bytesOf(data));
      return hashing;
    },
    digest: (encoding: Encoding = 'buffer') => encoded(state.digest(), encoding),
  };
  return hashing;
}

const ecdsa = { 'P-256': p256, 'P-384': p384, secp256k1 } as const;
type Curve = keyof typeof ecdsa;
const openSslNames: Readonly<Record<string, Curve>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp256k1: 'secp256k1',
};

interface Jwk {
  readonly kty?: unknown;
  readonly crv?: unknown;
  readonly x?: unknown;
  readonly y?: unknown;
}

/** A public key: an elliptic curve point in SEC 1 form, or the bytes of another one. */
export class KeyObject {
  readonly type: Curve | 'Ed25519' | 'ML-DSA-44';
  readonly bytes: Uint8Array;

  constructor(type: KeyObject['type'], bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }

  export(_options: { readonly format: 'jwk' }) {
    const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
    if (this.type === 'Ed25519') return { kty: 'OKP', crv: this.type, x: text(this.bytes) };
    const half = (this.bytes.length + 1) / 2;
    const [x, y] = [this.bytes.subarray(1, half), this.bytes.subarray(half)];
    return { kty: 'EC', crv: this.type, x: text(x), y: text(y) };
  }
}

/** The bytes before the key in its SPKI form (RFC 8410, RFC 9881). */
const spkiPrefixes = {
  Ed25519: '302a300506032b6570032100',
  'ML-DSA-44': '30820532300b06096086480165030403110382052100',
} as const;

/** @throws Error unless it is a point on its curve. */
export function createPublicKey({ key }: { readonly key: Jwk | Uint8Array }): KeyObject {
  if (key instanceof Uint8Array) return keyInSpki(key);
  const { kty, crv, x, y } = key;
  const part = (value: unknown) => Buffer.from(String(value), 'base64url');
  if (kty === 'OKP' && crv === 'Ed25519' && part(x).length === ed25519.lengths.publicKey)
    return new KeyObject('Ed25519', part(x));
  if (kty !== 'EC' || typeof crv !== 'string' || !Object.hasOwn(ecdsa, crv))
    throw new Error('Invalid JWK data');
  const curve = crv as Curve;
  const point = Buffer.concat([Buffer.of(4), part(x), part(y)]);
  ecdsa[curve].Point.fromBytes(point).assertValidity();
  return new KeyObject(curve, point);
}

function keyInSpki(der: Uint8Array): KeyObject {
  const hex = Buffer.from(der).toString('hex');
  for (const type of ['Ed25519', 'ML-DSA-44'] as const)
    if (hex.startsWith(spkiPrefixes[type]))
      return new KeyObject(type, der.slice(spkiPrefixes[type].length / 2));
  throw new Error('The key is of an unknown type.');
}

export const ECDH = {
  /** @returns the uncompressed point. @throws Error unless it is on the curve. */
  convertKey(point: Uint8Array, curve: string): Uint8Array {
    const name = openSslNames[curve];
    if (!name) throw new Error(`The curve ${curve} is unknown.`);
    return Buffer.from(ecdsa[name].Point.fromBytes(point).toBytes(false));
  },
};

interface EcdsaKey {
  readonly key: KeyObject;
  readonly dsaEncoding: 'ieee-p1363' | 'der';
}

export function verify(
  _algorithm: string | null | undefined,
  data: Uint8Array,
  given: KeyObject | EcdsaKey,
  signature: Uint8Array,
  callback?: (error: Error | null, isSigned: boolean) => void,
): boolean | undefined {
  const isSigned = () =>
    isSignedBy(data, given instanceof KeyObject ? { key: given, dsaEncoding: 'der' } : given, signature);
  if (!callback) return isSigned();
  const native = given instanceof KeyObject ? undefined : verifiedNatively(data, given, signature);
  const withoutBrowser = () => callback(null, isSigned());
  if (native) native.then((result) => callback(null, result), withoutBrowser);
  else withoutBrowser();
  return undefined;
}

const nativeKeys = new WeakMap<KeyObject, Promise<CryptoKey>>();
const nativeAlgorithms = {
  Ed25519: { name: 'Ed25519' },
  'P-256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  'P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
} as const;

/** By the browser, which is ten times as quick. Undefined if it cannot. Older ones refuse Ed25519. */
function verifiedNatively(data: Uint8Array, { key, dsaEncoding }: EcdsaKey, signature: Uint8Array) {
  const { subtle } = globalThis.crypto;
  if (!subtle || !Object.hasOwn(nativeAlgorithms, key.type) || dsaEncoding === 'der') return undefined;
  const algorithm = nativeAlgorithms[key.type as keyof typeof nativeAlgorithms];
  const imported = nativeKeys.getOrInsertComputed(key, () =>
    subtle.importKey('raw', new Uint8Array(key.bytes), algorithm, false, ['verify']),
  );
  return imported.then((one) =>
    subtle.verify(algorithm, one, new Uint8Array(signature), new Uint8Array(data)),
  );
}

function isSignedBy(data: Uint8Array, { key, dsaEncoding }: EcdsaKey, signature: Uint8Array): boolean {
  try {
    if (key.type === 'Ed25519') return ed25519.verify(signature, data, key.bytes, { zip215: false });
    if (key.type === 'ML-DSA-44') return mlDsa44.verify(signature, data, key.bytes);
    const format = dsaEncoding === 'der' ? 'der' : 'compact';
    return ecdsa[key.type].verify(signature, data, key.bytes, { format, lowS: false });
  } catch {
    // The libraries throw for malformed signatures, which OpenSSL calls invalid.
    return false;
  }
}
