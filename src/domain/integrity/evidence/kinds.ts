import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem } from './evidence.ts';
import { inTotoStatement } from './in-toto/statement.ts';
import { openLineage } from './openlineage/kind.ts';
import { dvcLock } from './training/dvc-lock.ts';
import { mlflowRun } from './training/mlflow-run.ts';

/** All formats that Cairn reads. */
export const evidenceKinds: readonly EvidenceKind[] = [inTotoStatement, openLineage, dvcLock, mlflowRun];

/** The format of a document. @throws ServiceError `invalid_evidence` if it has none, or several. */
export function kindOf(document: JsonObject): EvidenceKind {
  const [kind, other] = evidenceKinds.filter((one) => one.recognises(document));
  if (kind && !other) return kind;
  const known = evidenceKinds.map(({ title }) => title).join(', ');
  throw new ServiceError(
    'invalid_evidence',
    kind && other
      ? `It claims to be both ${kind.title} and ${other.title}. Remove the members of one of them.`
      : `It is no evidence in a known format: ${known}.`,
  );
}

export interface ReadEvidence {
  readonly kind: EvidenceKind;
  readonly evidence: readonly Evidence[];
}

/** What a document says. @throws ServiceError `invalid_evidence` with the reason and its place. */
export async function readEvidence(
  document: JsonObject,
  kind: EvidenceKind = kindOf(document),
): Promise<ReadEvidence> {
  return { kind, evidence: await asEvidenceError(async () => [await kind.read(document)].flat()) };
}

/** What a file that is not JSON says; undefined if no format is like that. @throws ServiceError `invalid_evidence`. */
export async function readOtherThanJson(bytes: Uint8Array): Promise<ReadEvidence | undefined> {
  for (const kind of evidenceKinds) {
    const document = await asEvidenceError(async () => await kind.parse?.(bytes));
    if (document) return await readEvidence(document);
  }
  return undefined;
}

/** Runs what reads evidence. @throws ServiceError `invalid_evidence` for an EvidenceProblem. */
export async function asEvidenceError<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof EvidenceProblem)) throw error;
    const { message, place } = error;
    const details = place === '' ? [] : [{ pointer: place, reason: message }];
    throw new ServiceError('invalid_evidence', message, { details });
  }
}
