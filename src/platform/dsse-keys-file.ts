import { messageOf, ServiceError } from '../domain/errors.ts';
import type { DsseKeys } from '../domain/integrity/proofs/dsse.ts';
import { readJsonFile } from './json-file.ts';
import { type Jwk, publicKeyOf } from './jwk.ts';

/**
 * The keys of the file of CAIRN_DSSE_KEYS_FILE: a JWK Set whose keys have a `kid`.
 * @throws ServiceError `unavailable` with the file and the problem.
 */
export async function readDsseKeys(file: string | null): Promise<DsseKeys> {
  if (file === null) return new Map();
  try {
    const { keys } = ((await readJsonFile(file)) ?? {}) as { keys?: unknown };
    if (!Array.isArray(keys)) throw new Error('it must be a JWK Set, which is {"keys": […]}');
    return new Map(keys.map((key: Jwk) => [kidOf(key), didOf(key)]));
  } catch (cause) {
    const reason = messageOf(cause).replace(/\.$/, '');
    throw new ServiceError(
      'unavailable',
      `The DSSE keys ${file} (CAIRN_DSSE_KEYS_FILE) cannot be used: ${reason}.`,
      {
        cause,
      },
    );
  }
}

function kidOf(key: Jwk): string {
  if (typeof key?.kid === 'string' && key.kid !== '') return key.kid;
  throw new Error('every key needs a kid, which signatures name as keyid');
}

function didOf(key: Jwk): string {
  return publicKeyOf(key, ['Ed25519', 'P-256', 'secp256k1', 'P-384']).did;
}
