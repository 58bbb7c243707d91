import { ServiceError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { parseTime } from '../identifiers/timestamp.ts';
import { assertSignature, keyOf, type OwnKeys } from './keys.ts';
import {
  type Canonicalizer,
  cannotCheck,
  failedCheck,
  type ProofCheck,
  ProofProblem,
  proofFails,
  shown,
  signedBy,
} from './proof.ts';
import { SignedGraph } from './signed-graph.ts';
import { type Suite, suiteOf } from './suites.ts';

export type { ProofCheck } from './proof.ts';

export interface VerifyPorts extends OwnKeys {
  readonly identifier: Canonicalizer;
  /** For proofs that expire. Default: the clock of this process. */
  readonly now?: () => Date;
}

const maxProofs = 10;

/**
 * Compares what a proof has signed with what the members of the document say by their names.
 * @param graph undefined if the exact JSON is signed.
 * @throws ProofProblem if they differ.
 */
export type Comparison = (graph: SignedGraph | undefined, proof: JsonObject) => void;

/**
 * Checks the proof of a document, or each of its proofs: all must hold (W3C Data Integrity 1.0, 4.4 and 4.5). It does not
 * know who ought to have signed; the caller compares `signers`.
 * @param compare most suites sign RDF. Who reads members of the document by their names has to compare both.
 * @throws ServiceError only if the service fails, such as `unavailable`.
 */
export async function verifyProof(
  ports: VerifyPorts,
  document: JsonObject,
  compare: Comparison = () => {},
): Promise<ProofCheck> {
  const { proof, ...content } = document;
  const proofs: unknown[] = Array.isArray(proof) ? proof : [proof];
  if (proof === undefined || proofs.length === 0) return failedCheck({ code: 'no_proof' });
  if (proofs.length > maxProofs)
    return failedCheck({ code: 'too_many_proofs', count: proofs.length, most: maxProofs });
  if (!proofs.every(isObject)) return failedCheck({ code: 'proof_not_object' });
  const checks: ProofCheck[] = [];
  for (const one of proofs) checks.push(await verifyOne(ports, content, one, proofs, compare));
  const [only] = checks;
  return checks.length === 1 && only ? only : together(checks);
}

/** When the first proof of a document expires, in milliseconds since 1970; infinite if none does. */
export function firstProofEnd({ proof }: JsonObject): number {
  const ends = [proof].flat().map((one) => (isObject(one) ? one.expires : undefined));
  return Math.min(...ends.map((end) => (typeof end === 'string' ? (parseTime(end) ?? Infinity) : Infinity)));
}

function together(checks: readonly ProofCheck[]): ProofCheck {
  const signers = signedBy(checks.flatMap((check) => check.signers));
  const [worst] = ['failed', 'unknown'].flatMap((result) =>
    checks.filter((check) => check.result === result),
  );
  if (!worst?.reason) return { result: worst?.result ?? 'ok', ...signers };
  const [number, count] = [checks.indexOf(worst) + 1, checks.length];
  const reason = { code: 'one_of_proofs', number, count, reason: worst.reason } as const;
  return { result: worst.result, reason, ...signers };
}

async function verifyOne(
  ports: VerifyPorts,
  content: JsonObject,
  proof: JsonObject,
  all: readonly JsonObject[],
  compare: Comparison,
): Promise<ProofCheck> {
  const found: { suite?: Suite; signer?: string } = {};
  const { verificationMethod, created } = proof;
  const outcome = await outcomeOf(async () => {
    found.suite = suiteOf(proof);
    assertValues(proof, ports.now?.() ?? new Date());
    const key = keyOf(verificationMethod, ports);
    found.signer = key.did;
    const { keyType, name } = found.suite;
    if (name === 'ecdsa-rdfc-2019' && key.keyType === 'P-384') cannotCheck({ code: 'curve_not_checked' });
    if (key.keyType !== keyType)
      proofFails({ code: 'wrong_key_type', suite: name, wanted: keyType, did: key.did, found: key.keyType });
    const previous = previousProofs(proof, all);
    const document = previous.length > 0 ? { ...content, proof: previous } : content;
    const signed = await found.suite.signed(ports.identifier, document, proof);
    await assertSignature(key, signed);
    if (signed.rdf) assertOptions(new SignedGraph(signed.rdf.options), proof);
    compare(signed.rdf && new SignedGraph(signed.rdf.document), proof);
  });
  return {
    ...outcome,
    ...signedBy(found.signer === undefined ? [] : [found.signer]),
    verificationMethod: typeof verificationMethod === 'string' ? verificationMethod : null,
    cryptosuite: found.suite?.name ?? null,
    created: typeof created === 'string' ? created : null,
  };
}

function assertValues({ proofPurpose, created, expires }: JsonObject, now: Date): void {
  if (proofPurpose !== 'assertionMethod') proofFails({ code: 'wrong_purpose', value: shown(proofPurpose) });
  if (created !== undefined) timeOf('created', created);
  if (expires !== undefined && timeOf('expires', expires) <= now.getTime())
    proofFails({ code: 'proof_expired', at: String(expires) });
}

const security = 'https://w3id.org/security#';

/** The purpose and the end are read by their names, so these have to be what is signed. */
function assertOptions(graph: SignedGraph, { expires }: JsonObject): void {
  const root = graph.root(() => true);
  const valuesOf = (name: string) => (root ? graph.objects(root, [security + name]) : []);
  const isSigned = (name: string, value: unknown) =>
    valuesOf(name).length === (value === undefined ? 0 : 1) &&
    valuesOf(name).every((signed) => signed.value === value);
  const differing = Object.entries({
    proofPurpose: isSigned('proofPurpose', `${security}assertionMethod`),
    expires: isSigned('expiration', expires),
  }).find(([, isGood]) => !isGood);
  if (differing) cannotCheck({ code: 'proof_member_not_covered', member: differing[0] });
}

function timeOf(name: string, value: unknown): number {
  const time = typeof value === 'string' ? parseTime(value) : null;
  return time ?? proofFails({ code: 'not_a_time', member: name, value: shown(value) });
}

/** The proofs that a proof of a chain signs together with the document (W3C Data Integrity 1.0, 2.1.2). */
function previousProofs({ previousProof = [] }: JsonObject, all: readonly JsonObject[]): JsonObject[] {
  const ids: unknown[] = Array.isArray(previousProof) ? previousProof : [previousProof];
  if (ids.length > maxProofs) proofFails({ code: 'too_many_previous', most: maxProofs });
  return ids.flatMap((id) => {
    const found = typeof id === 'string' ? all.filter((one) => one.id === id) : [];
    return found.length > 0 ? found : proofFails({ code: 'previous_missing', id: shown(id) });
  });
}

/** Errors of the input. Others are failures of the service. */
const badInput = new Set(['invalid_json', 'invalid_statement', 'invalid_request', 'not_covered', 'too_deep']);
const cannotBeChecked = new Set(['unknown_context', 'too_complex', 'too_large']);

async function outcomeOf(check: () => Promise<void>): Promise<Pick<ProofCheck, 'result' | 'reason'>> {
  try {
    await check();
    return { result: 'ok' };
  } catch (error) {
    if (error instanceof ProofProblem) return { result: error.result, reason: error.reason };
    if (!(error instanceof ServiceError)) throw error;
    const reason = { code: 'refused', error: error.code, message: error.message } as const;
    if (cannotBeChecked.has(error.code)) return { result: 'unknown', reason };
    if (!badInput.has(error.code)) throw error;
    return { result: 'failed', reason };
  }
}
