import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { open } from 'node:fs/promises';
import { messageOf, ServiceError } from '../domain/errors.ts';
import { type NoteSigner, noteSigner } from '../domain/log/notes/signing.ts';
import { type KeyType, keyTypes, vkeyOf } from '../domain/log/notes/vkey.ts';
import { createKeyFile } from './key-file-signer.ts';

/** The signers of a log. The first one makes the signature that every log has, by Ed25519. */
type LogSigners = readonly [NoteSigner, ...NoteSigner[]];

export interface LogKeys {
  /** @param origin of the log. */
  signersOf(origin: string): LogSigners;
}

interface KeyFile {
  readonly file: string;
  /** Whether a missing file is made. */
  readonly mayCreate: boolean;
}

/**
 * Opens the keys of a log: a private JWK or PEM file with an Ed25519 key, and perhaps another one with an ML-DSA-44 key.
 * @throws ServiceError `unavailable` with the file and the problem.
 */
export async function openLogKeys(ed25519: KeyFile, mlDsa: string | null): Promise<LogKeys> {
  const key = await openKey(ed25519, 'ed25519', 'CAIRN_LOG_KEY_FILE');
  const second =
    mlDsa === null
      ? null
      : await openKey({ file: mlDsa, mayCreate: false }, 'ml-dsa-44', 'CAIRN_LOG_ML_DSA_KEY_FILE');
  return {
    signersOf: (origin) => [
      signer(origin, keyTypes.ed25519, key),
      ...(second ? [signer(origin, keyTypes.mlDsa44Cosigner, second)] : []),
    ],
  };
}

function signer(origin: string, type: KeyType, key: KeyObject): NoteSigner {
  return noteSigner(vkeyOf(origin, type, createPublicKey(key)), key);
}

/**
 * A private key of this type, as a JWK or a PEM file. @param setting names where the file is set.
 * @throws ServiceError `unavailable` with the file and the problem.
 */
async function openKey(
  { file, mayCreate }: KeyFile,
  type: 'ed25519' | 'ml-dsa-44',
  setting: string,
): Promise<KeyObject> {
  try {
    if (mayCreate) await createMissing(file);
    return keyIn(await read(file), type);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? missing[type] : messageOf(cause).replace(/\.$/, '');
    const message = `The log key ${file} (${setting}) cannot be used: ${reason}.`;
    throw new ServiceError('unavailable', message, { cause });
  }
}

const missing = {
  ed25519:
    'there is no such file. Copy the key that has signed this log there. A log that was never published can get a new one: "cairn key create"',
  'ml-dsa-44': 'there is no such file. Make one: "openssl genpkey -algorithm ML-DSA-44"',
} as const;

async function read(file: string): Promise<string> {
  await using handle = await open(file);
  const { mode } = await handle.stat();
  if ((mode & 0o007) !== 0)
    throw new Error(
      `every user of this machine can read or change it. Run: chmod 600 ${file}. If somebody else had access, they can sign for your log`,
    );
  return await handle.readFile('utf8');
}

function keyIn(text: string, type: string): KeyObject {
  const key = privateKeyIn(text);
  if (key.asymmetricKeyType !== type)
    throw new Error(`it holds a key of the type ${key.asymmetricKeyType}, and the log needs ${type}`);
  return key;
}

function privateKeyIn(text: string): KeyObject {
  try {
    return text.startsWith('-----BEGIN')
      ? createPrivateKey(text)
      : createPrivateKey({ key: JSON.parse(text), format: 'jwk' });
  } catch (cause) {
    throw new Error('it is no private key in the form of a JWK or PEM', { cause });
  }
}

async function createMissing(file: string): Promise<void> {
  try {
    await (await open(file)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await createKeyFile(file);
  }
}
