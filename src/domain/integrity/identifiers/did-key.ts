import { varint } from 'multiformats';
import { base58btc } from 'multiformats/bases/base58';
import { ServiceError } from '../../errors.ts';
import { isDid } from './identifiers.ts';

export type KeyType = 'Ed25519' | 'P-256' | 'secp256k1' | 'P-384';

interface KeyFormat {
  readonly codec: number;
  /** Bytes of the raw key, after its multicodec. */
  readonly length: number;
  /** Whether the key is a compressed elliptic-curve point, whose first byte is the sign of y. */
  readonly isPoint: boolean;
}

const formats: Readonly<Record<KeyType, KeyFormat>> = {
  Ed25519: { codec: 0xed, length: 32, isPoint: false },
  'P-256': { codec: 0x1200, length: 33, isPoint: true },
  secp256k1: { codec: 0xe7, length: 33, isPoint: true },
  'P-384': { codec: 0x1201, length: 49, isPoint: true },
};

const keyTypes = new Map(Object.entries(formats).map(([name, { codec }]) => [codec, name as KeyType]));

/** Key types of did:key that Cairn does not support, by multicodec. */
const otherKeyTypes = new Map([
  [0xea, 'BLS12-381 G1'],
  [0xeb, 'BLS12-381 G2'],
  [0xec, 'X25519'],
  [0xee, 'BLS12-381 G1 and G2'],
  [0xef, 'sr25519'],
  [0x1202, 'P-521'],
  [0x1203, 'Ed448'],
  [0x1204, 'X448'],
  [0x1205, 'RSA'],
  [0xeb51, 'JWK'],
]);

/** Keeps base58 cheap. The longest accepted key has 69 characters. */
const maxKeyLength = 1_024;
const prefix = 'did:key:';

export interface DidKey {
  /** Without path, query or fragment. */
  readonly did: string;
  readonly keyType: KeyType;
  /** The raw key: 32 bytes for Ed25519, otherwise the compressed point (SEC 1, 2.3.3). */
  readonly publicKey: Uint8Array;
}

/** Parses a did:key (The did:key Method, 3.1.3; vocabulary, keys). @throws ServiceError `invalid_request`. */
export function parseDidKey(text: string): DidKey {
  if (!text.startsWith(prefix)) fail(text, 'it does not start with "did:key:"');
  const encoded = text.slice(prefix.length);
  if (!encoded.startsWith('z')) fail(text, 'its key is not in base58btc, which starts with "z"');
  const { codec, publicKey } = decode(text, encoded);
  const keyType = keyTypes.get(codec);
  if (keyType === undefined) throwKeyType(text, codec);
  const problem = keyProblem(keyType, publicKey);
  if (problem) fail(text, problem);
  if (makeDidKey(keyType, publicKey) !== text) fail(text, 'it is not the canonical encoding of its key');
  return { did: text, keyType, publicKey };
}

/**
 * A DID without path, query or fragment. A did:key must hold a key.
 * @throws ServiceError `invalid_request` that names the field.
 */
export function parseDid(text: string, field: string): string {
  if (!isDid(text) || /[/?#]/.test(text)) {
    const shown = JSON.stringify(text.slice(0, 120));
    const message = `${field} ${shown} is not a DID, such as "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp".`;
    throw new ServiceError('invalid_request', message);
  }
  if (text.startsWith(prefix)) parseDidKey(text);
  return text;
}

/** @throws ServiceError `invalid_request` if the bytes are not a key of that type. */
export function makeDidKey(keyType: KeyType, publicKey: Uint8Array): string {
  const problem = keyProblem(keyType, publicKey);
  if (problem)
    throw new ServiceError('invalid_request', `The public key cannot become a did:key: ${problem}.`);
  const { codec } = formats[keyType];
  const start = varint.encodingLength(codec);
  const bytes = new Uint8Array(start + publicKey.length);
  varint.encodeTo(codec, bytes);
  bytes.set(publicKey, start);
  return prefix + base58btc.encode(bytes);
}

function decode(text: string, encoded: string): { codec: number; publicKey: Uint8Array } {
  if (encoded.length > maxKeyLength) fail(text, 'it is longer than any key');
  try {
    const bytes = base58btc.decode(encoded);
    const [codec, start] = varint.decode(bytes);
    return { codec, publicKey: bytes.slice(start) };
  } catch (cause) {
    fail(text, 'its key is not base58btc of a multicodec and a key', cause);
  }
}

function keyProblem(keyType: KeyType, publicKey: Uint8Array): string | undefined {
  const { length, isPoint } = formats[keyType];
  if (publicKey.length !== length) {
    return `its ${keyType} key has ${publicKey.length} bytes instead of ${length}`;
  }
  const isCompressed = publicKey[0] === 2 || publicKey[0] === 3;
  if (isPoint && !isCompressed)
    return `its ${keyType} key is not a compressed point, which starts with 2 or 3`;
  return undefined;
}

function throwKeyType(text: string, codec: number): never {
  const name = otherKeyTypes.get(codec) ?? `unknown (multicodec 0x${codec.toString(16)})`;
  fail(text, `its key type is ${name}; supported are ${Object.keys(formats).join(', ')}`);
}

function fail(text: string, reason: string, cause?: unknown): never {
  const shown = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  throw new ServiceError('invalid_request', `"${shown}" is not accepted as a did:key: ${reason}.`, { cause });
}
