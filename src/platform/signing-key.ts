import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, ServiceError } from '../domain/errors.ts';
import { makeDidKey } from '../domain/integrity/identifiers/did-key.ts';

/** The Ed25519 key in whose name the service registers and signs. */
export interface SigningKey {
  /** did:key of the public key. */
  readonly did: string;
  readonly privateKey: KeyObject;
}

/**
 * Reads the key from a JWK file; makes the file, readable by its owner alone, when `mayCreate` and there is none.
 * @throws ServiceError `unavailable` that names the file and what is wrong with it.
 */
export async function openSigningKey(
  file: string,
  { mayCreate }: { mayCreate: boolean },
): Promise<SigningKey> {
  try {
    return fromJwk(await readFile(file, 'utf8'));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing || !mayCreate) refuseKey(file, cause);
  }
  return await create(file).catch((cause: unknown) => refuseKey(file, cause));
}

function refuseKey(file: string, cause: unknown): never {
  const isFull = (cause as NodeJS.ErrnoException).code === 'ENOSPC';
  const reason = isFull ? 'the disk is full' : messageOf(cause);
  throw new ServiceError(
    isFull ? 'storage_full' : 'unavailable',
    `The signing key ${file} cannot be used: ${reason}.`,
    {
      cause,
    },
  );
}

/** Written under another name first: a disk that is full must not leave half a key. */
async function create(file: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const staged = `${file}.new`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(staged, { force: true });
  const text = `${JSON.stringify(privateKey.export({ format: 'jwk' }))}\n`;
  await writeFile(staged, text, { mode: 0o600, flag: 'wx', flush: true });
  await rename(staged, file);
  return named(privateKey);
}

function fromJwk(text: string): SigningKey {
  const jwk = JSON.parse(text);
  if (jwk?.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.d !== 'string') {
    throw new Error('it must be a private JWK with kty "OKP" and crv "Ed25519".');
  }
  return named(createPrivateKey({ key: jwk, format: 'jwk' }));
}

function named(privateKey: KeyObject): SigningKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { did: makeDidKey('Ed25519', Buffer.from(x, 'base64url')), privateKey };
}
