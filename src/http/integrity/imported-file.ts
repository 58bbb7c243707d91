import { checkAnswer } from '../../contract/sentences.ts';
import type { ImportedEvidence } from '../../domain/integrity/evidence/import.ts';

/** The answer about a file of evidence that was taken. */
export function fileJson({ kind, blob, statements, signatures }: ImportedEvidence) {
  const checked = signatures.map((one) => ({ ...checkAnswer(one), signer: one.signer }));
  return { kind, blob, statements: [...statements], signatures: checked };
}
