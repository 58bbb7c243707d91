import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type webcrypto } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, ServiceError } from '../domain/errors.ts';
import { type KeyType, makeDidKey } from '../domain/integrity/identifiers/did-key.ts';
import type { PublicKey, Signer } from '../domain/integrity/signer.ts';

type Jwk = webcrypto.JsonWebKey;

/**
 * A signer with the keys of a file: a private JWK, or a JWK Set of which the first key is active.
 * If `mayCreate` and the file is missing, creates it, readable by its owner only.
 * @throws ServiceError `unavailable` with the file and the problem.
 */
export async function openSigner(file: string, { mayCreate }: { mayCreate: boolean }): Promise<Signer> {
  try {
    return signerWith(await readFile(file, 'utf8'));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing || !mayCreate) refuseKeys(file, cause);
  }
  return signerWith(await create(file).catch((cause: unknown) => refuseKeys(file, cause)));
}

function refuseKeys(file: string, cause: unknown): never {
  const isFull = (cause as NodeJS.ErrnoException).code === 'ENOSPC';
  const reason = isFull ? 'the disk is full' : messageOf(cause).replace(/\.$/, '');
  throw new ServiceError(
    isFull ? 'storage_full' : 'unavailable',
    `The signing key ${file} cannot be used: ${reason}.`,
    { cause },
  );
}

/** Writes under a temporary name first, so that a full disk does not leave half a key. */
async function create(file: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const staged = `${file}.new`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(staged, { force: true });
  const text = `${JSON.stringify(privateKey.export({ format: 'jwk' }))}\n`;
  await writeFile(staged, text, { mode: 0o600, flag: 'wx', flush: true });
  await rename(staged, file);
  return text;
}

function signerWith(text: string): Signer {
  const read = JSON.parse(text);
  const jwks: Jwk[] = Array.isArray(read?.keys) ? read.keys : [read];
  const [active] = jwks;
  if (typeof active?.d !== 'string')
    throw new Error('it must be a private JWK, or a JWK Set that starts with one');
  const keys = jwks.map(publicKeyOf) as [PublicKey, ...PublicKey[]];
  const key = createPrivateKey({ key: active, format: 'jwk' });
  const algorithm = keys[0].jwk.crv === 'Ed25519' ? null : 'sha256';
  return {
    did: keys[0].did,
    keys,
    // Quicker than handing it to another thread.
    sign: async (bytes) => sign(algorithm, bytes, { key, dsaEncoding: 'ieee-p1363' }),
  };
}

function publicKeyOf(key: Jwk): PublicKey {
  if (key?.crv !== 'Ed25519' && key?.crv !== 'P-256')
    throw new Error('every key must be a JWK with crv "Ed25519" or "P-256"');
  const { kty = '', crv = '', x = '', y } = createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' });
  return {
    did: makeDidKey(crv as KeyType, rawKey(x, y)),
    jwk: { kty, crv, x, ...(y !== undefined && { y }) },
  };
}

/** The bytes of an Ed25519 key, or the compressed point of another one (SEC 1, 2.3.3). */
function rawKey(x: string, y: string | undefined): Uint8Array {
  const bytes = Buffer.from(x, 'base64url');
  if (y === undefined) return bytes;
  const sign = 2 + ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1);
  return Buffer.concat([Buffer.of(sign), bytes]);
}
