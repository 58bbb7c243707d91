import type { Identifier } from '../ports.ts';
import type { Reason } from './reasons.ts';

/** A proof that this service makes (W3C Data Integrity 1.0, 2.1). */
export interface DataIntegrityProof {
  readonly type: 'DataIntegrityProof';
  readonly cryptosuite: 'eddsa-rdfc-2022' | 'eddsa-jcs-2022' | 'ecdsa-rdfc-2019';
  readonly created: string;
  readonly verificationMethod: string;
  readonly proofPurpose: 'assertionMethod';
  /** The contexts of the document. Only JCS suites have it. */
  readonly '@context'?: unknown;
  readonly proofValue: string;
}

/** Bytes that a key signs, and a signature that claims to be of them. */
export interface SignedData {
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}

/** What a check of one or several signatures found. */
export interface ProofCheck {
  /** `unknown`: it cannot be checked here. */
  readonly result: 'ok' | 'failed' | 'unknown';
  /** Unless the result is `ok`. */
  readonly reason?: Reason;
  /**
   * Who signed, according to the signatures: DIDs, or the subject of a Sigstore certificate. This is proved only if the
   * result is `ok`.
   */
  readonly signers: readonly string[];
  /** The signer, if there is exactly one. */
  readonly signer: string | null;
  /** Who vouches for the signer of a Sigstore certificate: the URL of an OpenID provider. */
  readonly identityIssuer?: string;
  /** Of the only signature. Null if there are several. */
  readonly verificationMethod: string | null;
  readonly cryptosuite: string | null;
  readonly created: string | null;
}

export type Canonicalizer = Pick<Identifier, 'canonicalNQuads'>;

/** A proof that does not hold (`failed`), or that cannot be checked here (`unknown`). */
export class ProofProblem extends Error {
  readonly result: 'failed' | 'unknown';
  readonly reason: Reason;

  constructor(result: 'failed' | 'unknown', reason: Reason) {
    super(reason.code);
    this.name = 'ProofProblem';
    this.result = result;
    this.reason = reason;
  }
}

export function proofFails(reason: Reason): never {
  throw new ProofProblem('failed', reason);
}

export function cannotCheck(reason: Reason): never {
  throw new ProofProblem('unknown', reason);
}

/** A value of a proof for a sentence, cut to a length that can be read. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The check of something that names no signer. */
export function failedCheck(reason: Reason, result: 'failed' | 'unknown' = 'failed'): ProofCheck {
  return { result, reason, ...signedBy([]) };
}

/** What a check says about several signatures together. */
export function signedBy(all: readonly string[]): Omit<ProofCheck, 'result' | 'reason'> {
  const signers = [...new Set(all)];
  const signer = (signers.length === 1 && signers[0]) || null;
  return { signers, signer, verificationMethod: null, cryptosuite: null, created: null };
}
