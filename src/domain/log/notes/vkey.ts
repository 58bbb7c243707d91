import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fromBase64, toBase64 } from '../../base64.ts';
import { sha256 } from '../merkle/hashing.ts';
import { LogProofError, quoted, refuse } from '../proof-error.ts';
import { isKeyName } from './signed-note.ts';

/** The signature types that Cairn knows (c2sp.org/signed-note, section Signature types). */
export const keyTypes = { ed25519: 0x01, ed25519Cosigner: 0x04, mlDsa44Cosigner: 0x06 } as const;
export type KeyType = (typeof keyTypes)[keyof typeof keyTypes];

/** A verifier key: a name with a public key of a type. */
export interface Vkey {
  readonly name: string;
  readonly keyId: number;
  readonly type: KeyType;
  readonly publicKey: Uint8Array;
}

interface Algorithm {
  readonly keySize: number;
  readonly signatureSize: number;
  /** What precedes the bytes of the key in its SPKI form (RFC 8410, RFC 9881). */
  readonly spkiPrefix: Uint8Array;
}

const ed25519 = {
  keySize: 32,
  signatureSize: 64,
  spkiPrefix: Buffer.from('302a300506032b6570032100', 'hex'),
};
const mlDsa44 = {
  keySize: 1_312,
  signatureSize: 2_420,
  spkiPrefix: Buffer.from('30820532300b06096086480165030403110382052100', 'hex'),
};
const algorithms: Readonly<Record<KeyType, Algorithm>> = {
  [keyTypes.ed25519]: ed25519,
  [keyTypes.ed25519Cosigner]: ed25519,
  [keyTypes.mlDsa44Cosigner]: mlDsa44,
};

function keyIdOf(name: string, type: KeyType, publicKey: Uint8Array): number {
  const digest = sha256(Buffer.concat([Buffer.from(`${name}\n`), Uint8Array.of(type), publicKey]));
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0);
}

export function makeVkey(name: string, type: KeyType, publicKey: Uint8Array): Vkey {
  if (!isKeyName(name)) refuse('malformed', `${quoted(name)} is no key name. It has no spaces and no "+".`);
  return { name, type, publicKey, keyId: keyIdOf(name, type, publicKey) };
}

/** The key of a public key object under a name. */
export function vkeyOf(name: string, type: KeyType, key: KeyObject): Vkey {
  const { keySize } = algorithms[type];
  return makeVkey(name, type, key.export({ format: 'der', type: 'spki' }).subarray(-keySize));
}

const hexLength = 8;

export function formatVkey({ name, keyId, type, publicKey }: Vkey): string {
  const key = toBase64(Buffer.concat([Uint8Array.of(type), publicKey]));
  return `${name}+${keyId.toString(16).padStart(hexLength, '0')}+${key}`;
}

export function isVkey(text: string): boolean {
  try {
    return parseVkey(text) !== undefined;
  } catch (error) {
    if (error instanceof LogProofError) return false;
    throw error;
  }
}

/** @throws LogProofError `malformed` */
export function parseVkey(text: string): Vkey {
  const [, name = '', hex = '', base64 = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.{1,2000})$/.exec(text) ?? [];
  const bytes = fromBase64(base64);
  if (!isKeyName(name) || bytes === undefined)
    return refuse('malformed', `${quoted(text)} is no verifier key, which is name+id+base64.`);
  const type = Object.values(keyTypes).find((each) => each === bytes[0]);
  if (type === undefined)
    return refuse(
      'malformed',
      `The key ${name} has the signature type ${bytes[0]}. Known are 1 (Ed25519), 4 and 6 (cosignatures by Ed25519 and ML-DSA-44).`,
    );
  const publicKey = bytes.subarray(1);
  const { keySize } = algorithms[type];
  if (publicKey.length !== keySize)
    refuse(
      'malformed',
      `The key ${name} has ${publicKey.length} bytes. A key of type ${type} has ${keySize}.`,
    );
  const key = makeVkey(name, type, publicKey);
  if (formatVkey(key) !== text)
    refuse(
      'malformed',
      `The ID ${hex} does not belong to the key ${name}. Its ID is ${formatVkey(key).split('+')[1]}.`,
    );
  return key;
}

const keyObjects = new WeakMap<Vkey, KeyObject>();

export function isSignedBy(vkey: Vkey, message: Uint8Array, signature: Uint8Array): boolean {
  const { signatureSize, spkiPrefix } = algorithms[vkey.type];
  if (signature.length !== signatureSize) return false;
  try {
    const key = keyObjects.getOrInsertComputed(vkey, () =>
      createPublicKey({ key: Buffer.concat([spkiPrefix, vkey.publicKey]), format: 'der', type: 'spki' }),
    );
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
}
