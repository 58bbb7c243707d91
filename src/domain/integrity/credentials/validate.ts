import { ServiceError } from '../../errors.ts';
import type { Identifier } from '../ports.ts';
import type { Credential } from './credential-records.ts';
import { credentialProblems } from './credential-shape.ts';

const told = 3;
const contextsPointer = '/@context';

/**
 * @param bytes the JSON text of the credential.
 * @throws ServiceError `invalid_credential` with every problem: what the data model demands, and what JSON-LD would
 * drop or refuse.
 */
export async function assertCredential(
  identifier: Pick<Identifier, 'identify'>,
  credential: Credential,
  bytes: Uint8Array,
): Promise<void> {
  const problems = credentialProblems(credential);
  const known = new Set(problems.map(({ pointer }) => pointer));
  const hasContexts = ![...known].some((pointer) => pointer?.startsWith(contextsPointer));
  const dropped = hasContexts ? await jsonLdProblems(identifier, bytes) : [];
  const all = [...problems, ...dropped.filter(({ pointer }) => !known.has(pointer))];
  if (all.length === 0) return;
  const places = all
    .slice(0, told)
    .map(({ pointer, reason }) => `${pointer || 'the credential'}: ${reason.replace(/\.$/, '')}`);
  const more = all.length > told ? `; and ${all.length - told} more` : '';
  const message = `This is not a valid credential. ${places.join('; ')}${more}.`;
  throw new ServiceError('invalid_credential', message, { details: all });
}

async function jsonLdProblems(identifier: Pick<Identifier, 'identify'>, bytes: Uint8Array) {
  const options = { generateId: true, strict: false, reportCoverage: true };
  const { refused, uncovered } = await identifier.identify(bytes, [0, bytes.length], options);
  const [refusal] = refused;
  if (!refusal) return uncovered.flatMap(({ places }) => places);
  const { error } = refusal;
  if (!aboutInput.has(error.code)) throw error;
  if (error.details?.length) return [...error.details];
  return [{ pointer: error.code === 'unknown_context' ? contextsPointer : '', reason: error.message }];
}

const aboutInput = new Set(['invalid_statement', 'unknown_context', 'not_covered', 'too_large']);
