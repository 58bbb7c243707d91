import { ServiceError } from '../../../domain/errors.ts';
import { credentialsV1, credentialsV2 } from '../../../domain/integrity/contexts/credentials.ts';
import type { Credential } from '../../../domain/integrity/credentials/credential-records.ts';
import { listOf } from '../../../domain/integrity/credentials/credential-shape.ts';
import { isObject } from '../../../domain/json/is-object.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { readUpTo, statementLimit } from './file-form.ts';

const maxDepth = 256;

/** The credential in a file; undefined if the file holds anything else. */
export async function credentialIn(path: string): Promise<Credential | undefined> {
  const bytes = await readUpTo(path, statementLimit);
  // Most files are no JSON, and need not be parsed.
  if (!bytes || !Buffer.from(bytes.subarray(0, 100)).toString().trimStart().startsWith('{')) return undefined;
  try {
    const value = parseStrictJson(bytes, { maxDepth, exactNumbers: true });
    return isCredential(value) ? value : undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function isCredential(value: unknown): value is Credential {
  if (!isObject(value)) return false;
  const contexts = listOf(value['@context']);
  const isKnown = contexts.includes(credentialsV1) || contexts.includes(credentialsV2);
  return isKnown && listOf(value.type).includes('VerifiableCredential');
}
