import { ServiceError } from '../../errors.ts';
import { isObject } from '../../json/is-object.ts';
import { parseTime } from '../identifiers/timestamp.ts';
import { demandSignature, keyOf, type OwnKeys } from './keys.ts';
import {
  type Canonicalizer,
  cannotCheck,
  failedCheck,
  type Json,
  type ProofCheck,
  ProofProblem,
  proofFails,
  shown,
} from './proof.ts';
import { type Suite, suiteOf } from './suites.ts';

export type { ProofCheck } from './proof.ts';

export interface VerifyPorts extends OwnKeys {
  readonly identifier: Canonicalizer;
  /** For proofs that expire. Default: the clock of this process. */
  readonly now?: () => Date;
}

const maxProofs = 10;

/**
 * Checks the proof of a document, or each of its proofs: all must hold (W3C Data Integrity 1.0, 4.4 and 4.5). It does not
 * know who ought to have signed; the caller compares `signers`.
 * @throws ServiceError only if the service fails, such as `unavailable`.
 */
export async function verifyProof(ports: VerifyPorts, document: Json): Promise<ProofCheck> {
  const { proof, ...content } = document;
  const proofs: unknown[] = Array.isArray(proof) ? proof : [proof];
  if (proof === undefined || proofs.length === 0) return failedCheck('The document has no proof.');
  if (proofs.length > maxProofs)
    return failedCheck(`The document has ${proofs.length} proofs. At most ${maxProofs} are checked.`);
  if (!proofs.every(isObject)) return failedCheck('proof must be an object or a list of objects.');
  const checks: ProofCheck[] = [];
  for (const one of proofs) checks.push(await verifyOne(ports, content, one, proofs));
  const [only] = checks;
  return checks.length === 1 && only ? only : together(checks);
}

function together(checks: readonly ProofCheck[]): ProofCheck {
  const signers = [...new Set(checks.flatMap((check) => check.signers))];
  const [signer = null, ...others] = signers;
  const worst = ['failed', 'unknown'].flatMap((result) =>
    checks.filter((check) => check.result === result),
  )[0];
  const number = worst ? checks.indexOf(worst) + 1 : 0;
  return {
    result: worst?.result ?? 'ok',
    ...(worst && { reason: `Proof ${number} of ${checks.length}: ${worst.reason}` }),
    signers,
    signer: others.length === 0 ? signer : null,
    verificationMethod: null,
    cryptosuite: null,
    created: null,
  };
}

async function verifyOne(
  ports: VerifyPorts,
  content: Json,
  proof: Json,
  all: readonly Json[],
): Promise<ProofCheck> {
  const found: { suite?: Suite; signer?: string } = {};
  const { verificationMethod, created } = proof;
  const outcome = await outcomeOf(async () => {
    found.suite = suiteOf(proof);
    demandValues(proof, ports.now?.() ?? new Date());
    const key = keyOf(verificationMethod, ports);
    found.signer = key.did;
    const { keyType, name } = found.suite;
    if (name === 'ecdsa-rdfc-2019' && key.keyType === 'P-384')
      cannotCheck('ecdsa-rdfc-2019 is checked with keys on P-256 only, but this key is on P-384.');
    if (key.keyType !== keyType)
      proofFails(`${name} needs a key on ${keyType}, but ${key.did} is on ${key.keyType}.`);
    const previous = previousProofs(proof, all);
    const document = previous.length > 0 ? { ...content, proof: previous } : content;
    demandSignature(key, await found.suite.signed(ports.identifier, document, proof));
  });
  return {
    ...outcome,
    signers: found.signer === undefined ? [] : [found.signer],
    signer: found.signer ?? null,
    verificationMethod: typeof verificationMethod === 'string' ? verificationMethod : null,
    cryptosuite: found.suite?.name ?? null,
    created: typeof created === 'string' ? created : null,
  };
}

function demandValues({ proofPurpose, created, expires }: Json, now: Date): void {
  if (proofPurpose !== 'assertionMethod')
    proofFails(`proofPurpose must be "assertionMethod", but it is ${shown(proofPurpose)}.`);
  if (created !== undefined) timeOf('created', created);
  if (expires !== undefined && timeOf('expires', expires) <= now.getTime())
    proofFails(`The proof expired at ${String(expires)}.`);
}

function timeOf(name: string, value: unknown): number {
  const time = typeof value === 'string' ? parseTime(value) : null;
  return time ?? proofFails(`${name} must be an RFC 3339 time, but it is ${shown(value)}.`);
}

/** The proofs that a proof of a chain signs together with the document (W3C Data Integrity 1.0, 2.1.2). */
function previousProofs({ previousProof = [] }: Json, all: readonly Json[]): Json[] {
  const ids: unknown[] = Array.isArray(previousProof) ? previousProof : [previousProof];
  if (ids.length > maxProofs) proofFails(`previousProof names more than ${maxProofs} proofs.`);
  return ids.flatMap((id) => {
    const found = typeof id === 'string' ? all.filter((one) => one.id === id) : [];
    return found.length > 0 ? found : proofFails(`The previousProof ${shown(id)} is not there.`);
  });
}

/** Errors of the input. Others are failures of the service. */
const inputErrors = new Set([
  'invalid_json',
  'invalid_statement',
  'invalid_request',
  'not_covered',
  'too_deep',
]);
const cannotBeChecked = new Set(['unknown_context', 'too_complex', 'too_large']);

async function outcomeOf(check: () => Promise<void>): Promise<Pick<ProofCheck, 'result' | 'reason'>> {
  try {
    await check();
    return { result: 'ok' };
  } catch (error) {
    if (error instanceof ProofProblem) return { result: error.result, reason: error.message };
    if (!(error instanceof ServiceError)) throw error;
    const { code, message } = error;
    if (cannotBeChecked.has(code)) return { result: 'unknown', reason: message };
    if (!inputErrors.has(code)) throw error;
    const reason =
      code === 'not_covered' ? `The proof does not cover the whole document. ${message}` : message;
    return { result: 'failed', reason };
  }
}
