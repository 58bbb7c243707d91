import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, ServiceError } from '../domain/errors.ts';
import type { PublicKey, Signer } from '../domain/integrity/signer.ts';
import { type Jwk, publicKeyOf } from './jwk.ts';

/**
 * A signer with the keys of a file: a private JWK, or a JWK Set of which the first key is active.
 * If `mayCreate` and the file is missing, creates it, readable by its owner only.
 * @param options `onWarning` receives a sentence if every user of the machine can read or change the file.
 * @throws ServiceError `unavailable` with the file and the problem.
 */
export async function openSigner(
  file: string,
  { mayCreate, onWarning = () => undefined }: { mayCreate: boolean; onWarning?: (sentence: string) => void },
): Promise<Signer> {
  try {
    return signerWith(await read(file, onWarning));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing || !mayCreate) throwBadKeys(file, cause);
  }
  return signerWith(await createKeyFile(file).catch((cause: unknown) => throwBadKeys(file, cause)));
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  ENOENT: 'it does not exist. "cairn key create" makes one',
};

function throwBadKeys(file: string, cause: unknown): never {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC';
  const reason = reasons[code] ?? messageOf(cause).replace(/\.$/, '');
  throw new ServiceError(
    isFull ? 'storage_full' : 'unavailable',
    `The signing key ${file} cannot be used: ${reason}.`,
    { cause },
  );
}

async function read(file: string, onWarning: (sentence: string) => void): Promise<string> {
  await using handle = await open(file);
  const { mode } = await handle.stat();
  if ((mode & 0o007) !== 0)
    onWarning(
      `Every user of this machine can read or change the signing key ${file}. Run: chmod 600 ${file}. If somebody else had access, change the key.`,
    );
  return await handle.readFile('utf8');
}

/** Makes a key and its folder. Writes under a temporary name first, because a process may end in the middle. */
export async function createKeyFile(file: string): Promise<string> {
  const staged = `${file}.new`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(staged, { force: true });
  const text = await writeNewKey(staged);
  await rename(staged, file);
  return text;
}

function parsedKeys(text: string) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
}

function signerWith(text: string): Signer {
  const read = parsedKeys(text);
  const jwks: Jwk[] = Array.isArray(read?.keys) ? read.keys : [read];
  const [active] = jwks;
  if (typeof active?.d !== 'string')
    throw new Error('it must be a private JWK, or a JWK Set that starts with one');
  const keys = jwks.map((jwk) => publicKeyOf(jwk, ['Ed25519', 'P-256'])) as [PublicKey, ...PublicKey[]];
  const key = createPrivateKey({ key: active, format: 'jwk' });
  const algorithm = keys[0].jwk.crv === 'Ed25519' ? null : 'sha256';
  return {
    did: keys[0].did,
    keys,
    // Quicker than handing it to another thread.
    sign: async (bytes) => sign(algorithm, bytes, { key, dsaEncoding: 'ieee-p1363' }),
  };
}

/** Makes a private key and writes it as a JWK, readable by its owner only. @throws `EEXIST` if the file exists. */
export async function writeNewKey(file: string, curve: 'Ed25519' | 'P-256' = 'Ed25519'): Promise<string> {
  const { privateKey } =
    curve === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const text = `${JSON.stringify(privateKey.export({ format: 'jwk' }))}\n`;
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    // A full disk leaves half a key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(file, { force: true });
    throw error;
  }
  return text;
}
