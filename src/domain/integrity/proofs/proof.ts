import type { Identifier } from '../ports.ts';

export type Json = Readonly<Record<string, unknown>>;

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

export type Canonicalizer = Pick<Identifier, 'nquads'>;

/** A proof that does not hold (`failed`), or that cannot be checked here (`unknown`). The message is a sentence. */
export class ProofProblem extends Error {
  readonly result: 'failed' | 'unknown';

  constructor(result: 'failed' | 'unknown', message: string) {
    super(message);
    this.name = 'ProofProblem';
    this.result = result;
  }
}

export function proofFails(reason: string): never {
  throw new ProofProblem('failed', reason);
}

export function cannotCheck(reason: string): never {
  throw new ProofProblem('unknown', reason);
}

/** A value of a proof for an error message, cut to a length that can be read. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
