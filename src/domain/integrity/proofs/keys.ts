import { createPublicKey, ECDH, type KeyObject, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { base58btc } from 'multiformats/bases/base58';
import { ServiceError } from '../../errors.ts';
import { type KeyType, parseDidKey } from '../identifiers/did-key.ts';
import type { PublicKey } from '../signer.ts';
import { cannotCheck, proofFails, type SignedData, shown } from './proof.ts';

/** A key that verifies. */
export interface VerificationKey {
  /** The DID that controls the key, as the proof names it. */
  readonly did: string;
  readonly keyType: KeyType;
  readonly key: KeyObject;
}

/** The names of the elliptic curves in OpenSSL. */
const curves = { 'P-256': 'prime256v1', secp256k1: 'secp256k1', 'P-384': 'secp384r1' } as const;
const signatureBytes = { Ed25519: 64, 'P-256': 64, secp256k1: 64, 'P-384': 96 } as const;
const hashes = { Ed25519: null, 'P-256': 'sha256', secp256k1: 'sha256', 'P-384': 'sha384' } as const;
/** Longer than any key or signature in base58. */
const maxMultibase = 200;

export interface OwnKeys {
  /** The keys of this service. */
  readonly ownKeys: readonly PublicKey[];
  /** The did:web of this service, which controls the same keys. */
  readonly ownDidWeb?: string | null;
  /** Keys of other DIDs that are known, as did:key by their verification method. */
  readonly givenKeys?: ReadonlyMap<string, string>;
}

/** The verification method of a did:key (The did:key Method, 3.1). */
export function verificationMethodOf(did: string): string {
  return methodIn(did, did);
}

/** The verification method for the key of a did:key in the document of another DID. */
export function methodIn(did: string, didKey: string): string {
  return `${did}#${didKey.slice('did:key:'.length)}`;
}

/**
 * Finds the key of a verification method: a did:key holds it, and this service knows its own keys.
 * @throws ProofProblem
 */
export function keyOf(
  verificationMethod: unknown,
  { ownKeys, ownDidWeb, givenKeys }: OwnKeys,
): VerificationKey {
  if (typeof verificationMethod !== 'string')
    proofFails({ code: 'method_not_text', value: shown(verificationMethod) });
  const [did = '', fragment, ...rest] = verificationMethod.slice(0, 2_000).split('#');
  if (!did.startsWith('did:')) proofFails({ code: 'method_not_did', value: shown(verificationMethod) });
  const given = givenKeys?.get(verificationMethod);
  if (given !== undefined) return { ...keyOfDid(given), did };
  if (did === ownDidWeb) {
    const own = ownKeys.find((key) => methodIn(did, key.did) === verificationMethod);
    if (!own) proofFails({ code: 'no_such_own_key', did, fragment: shown(fragment) });
    return { ...keyOfDid(own.did), did };
  }
  if (!did.startsWith('did:key:')) cannotCheck({ code: 'key_not_found', did: shown(did) });
  const key = keyOfDid(did);
  if (rest.length > 0 || verificationMethodOf(did) !== `${did}#${fragment}`)
    proofFails({ code: 'other_key_named', did, fragment: shown(fragment) });
  return key;
}

const parsed = new LRUCache<string, VerificationKey>({ max: 1_000 });

/** @throws ProofProblem unless it is a did:key whose key can verify. */
export function keyOfDid(did: string): VerificationKey {
  const key = parsed.get(did) ?? parseKey(did);
  parsed.set(did, key);
  return key;
}

function parseKey(did: string): VerificationKey {
  try {
    const { keyType, publicKey } = parseDidKey(did);
    return { did, keyType, key: createPublicKey({ key: jwkOf(keyType, publicKey), format: 'jwk' }) };
  } catch (error) {
    if (error instanceof ServiceError) proofFails({ code: 'invalid_key', message: error.message });
    proofFails({ code: 'not_on_curve' });
  }
}

function jwkOf(keyType: KeyType, publicKey: Uint8Array) {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  if (keyType === 'Ed25519') return { kty: 'OKP', crv: keyType, x: text(publicKey) };
  const point = ECDH.convertKey(publicKey, curves[keyType], undefined, undefined, 'uncompressed') as Buffer;
  const half = (point.length + 1) / 2;
  return { kty: 'EC', crv: keyType, x: text(point.subarray(1, half)), y: text(point.subarray(half)) };
}

/** @throws ProofProblem unless the key made the signature. ECDSA signatures are r and s, not DER. */
export async function assertSignature(
  { did, keyType, key }: VerificationKey,
  { data, signature }: SignedData,
): Promise<void> {
  const length = signatureBytes[keyType];
  if (signature.length !== length)
    proofFails({ code: 'wrong_length', keyType, wanted: length, found: signature.length });
  const verified = Promise.withResolvers<boolean>();
  // Away from this thread, which has other work.
  verify(hashes[keyType], data, { key, dsaEncoding: 'ieee-p1363' }, signature, (error, isSigned) =>
    error ? verified.reject(error) : verified.resolve(isSigned),
  );
  if (!(await verified.promise)) proofFails({ code: 'not_signed_by', did });
}

/** Whether the key made the signature. ECDSA signatures are r and s, or DER. */
export function isSignedBy({ keyType, key }: VerificationKey, { data, signature }: SignedData): boolean {
  const dsaEncoding = signature.length === signatureBytes[keyType] ? 'ieee-p1363' : 'der';
  return verify(hashes[keyType], data, { key, dsaEncoding }, signature);
}

/** @throws ProofProblem unless `proofValue` is base58btc with its multibase prefix. */
export function signatureIn(proofValue: unknown): Uint8Array {
  if (typeof proofValue !== 'string' || !proofValue.startsWith('z') || proofValue.length > maxMultibase)
    proofFails({ code: 'not_multibase', value: shown(proofValue) });
  try {
    return base58btc.decode(proofValue);
  } catch {
    proofFails({ code: 'not_base58', value: shown(proofValue) });
  }
}
