import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../domain/errors.ts';
import { keyOfDid } from '../../domain/integrity/proofs/keys.ts';
import { type Jwk, publicKeyOf } from '../../platform/jwk.ts';
import { failUsage } from '../terminal/failure.ts';

/** The hash of each curve, by its name in OpenSSL (OMS algorithm registry). */
const hashes: Readonly<Record<string, string>> = {
  prime256v1: 'sha256',
  secp384r1: 'sha384',
  secp521r1: 'sha512',
};
/** What the keys of statements are, beside those. */
const furtherHashes: Readonly<Record<string, string | null>> = { secp256k1: 'sha256', ed25519: null };

/** The hash that goes with a key; undefined for keys that sign no models, and null if the key has one of its own. */
export function hashOfKey(key: KeyObject): string | null | undefined {
  const name = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? '';
  return hashes[name] ?? furtherHashes[name];
}

/** A private key in PEM, or of `cairn key create`. @throws Failure (usage). */
export async function readPrivateKey(path: string, passwordFile: string | undefined): Promise<KeyObject> {
  const passphrase = passwordFile === undefined ? undefined : await readText(passwordFile);
  const key = parse(path, await readText(path), (text) =>
    createPrivateKey({ key: text, ...(passphrase !== undefined && { passphrase: passphrase.trimEnd() }) }),
  );
  if (key.type !== 'private') failUsage(`${path} is a public key. Name the private one.`);
  if (hashes[key.asymmetricKeyDetails?.namedCurve ?? ''] === undefined)
    failUsage(
      `${path} is a key on ${nameOf(key)}. Models are signed with P-256, P-384 and P-521. Make one with: cairn key create --p256 model-key.json`,
    );
  return key;
}

/** A public key in PEM, as a JWK, or a did:key. @throws Failure (usage). */
export async function readPublicKey(text: string): Promise<KeyObject> {
  if (text.startsWith('did:')) return keyNamed(text);
  const key = parse(text, await readText(text), (pem) => createPublicKey(pem));
  const found = key.type === 'private' ? createPublicKey(key) : key;
  if (hashOfKey(found) === undefined)
    failUsage(`${text} is a key on ${nameOf(found)}, which signs no models.`);
  return found;
}

function keyNamed(did: string): KeyObject {
  try {
    return keyOfDid(did).key;
  } catch {
    failUsage(
      `${did} is no did:key of a public key. Copy it as "cairn key create" or the signer printed it.`,
    );
  }
}

/** The did:key of a key; undefined for curves that have none here. */
export function didOfKey(key: KeyObject): string | undefined {
  try {
    const publicKey = key.type === 'private' ? createPublicKey(key) : key;
    return publicKeyOf(publicKey.export({ format: 'jwk' }) as Jwk, ['Ed25519', 'P-256', 'secp256k1', 'P-384'])
      .did;
  } catch {
    return undefined;
  }
}

function nameOf(key: KeyObject): string {
  return key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'an unknown curve';
}

function parse(name: string, text: string, ofPem: (text: string) => KeyObject): KeyObject {
  try {
    if (!text.trimStart().startsWith('{')) return ofPem(text);
    const read = JSON.parse(text);
    const jwk: Jwk = Array.isArray(read.keys) ? read.keys[0] : read;
    return jwk.d === undefined
      ? createPublicKey({ key: jwk, format: 'jwk' })
      : createPrivateKey({ key: jwk, format: 'jwk' });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ERR_MISSING_PASSPHRASE' || code === 'ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED')
      failUsage(`The key ${name} is encrypted. Name a file with its password: --password-file.`);
    if (code === 'ERR_OSSL_BAD_DECRYPT') failUsage(`The password does not open the key ${name}.`);
    failUsage(`${name} is neither a key in PEM nor a JWK: ${messageOf(cause).replace(/\.$/, '')}.`);
  }
}

async function readText(path: string): Promise<string> {
  return await readFile(path, 'utf8');
}
