import { sentenceOf } from '../../src/contract/sentences.ts';
import type { Reason } from '../../src/domain/integrity/proofs/reasons.ts';
import * as proofs from '../../src/domain/integrity/proofs/verify-proof.ts';

/** A check as people read it. */
export function worded<Check extends { readonly reason?: Reason }>(check: Check) {
  return { ...check, ...(check.reason && { reason: sentenceOf(check.reason) }) };
}

export async function verifyProof(...asked: Parameters<typeof proofs.verifyProof>) {
  return worded(await proofs.verifyProof(...asked));
}
