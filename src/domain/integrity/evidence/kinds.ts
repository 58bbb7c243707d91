import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { type EvidenceKind, EvidenceProblem } from './evidence.ts';
import { attestations, gcloudProvenance } from './in-toto/attestations.ts';
import { sigstoreBundle } from './in-toto/bundle.ts';
import { dsseEnvelope } from './in-toto/envelope.ts';
import { inTotoLink } from './in-toto/link.ts';
import { inTotoStatement } from './in-toto/statement.ts';
import { modelSigning } from './model-signing/model-evidence.ts';
import { openLineage } from './openlineage/kind.ts';
import { cyclonedx } from './sbom/cyclonedx.ts';
import { spdx2 } from './sbom/spdx-2.ts';
import { spdx3 } from './sbom/spdx-3.ts';
import { dvcLock } from './training/dvc-lock.ts';
import { mlflowRun } from './training/mlflow-run.ts';
import { adviceOnUnread } from './unread.ts';

/** All formats that Cairn reads. */
export const evidenceKinds: readonly EvidenceKind[] = [
  inTotoStatement,
  inTotoLink,
  dsseEnvelope,
  sigstoreBundle,
  attestations,
  gcloudProvenance,
  openLineage,
  dvcLock,
  mlflowRun,
  cyclonedx,
  spdx2,
  spdx3,
  modelSigning,
];

/** The format of a document. @throws ServiceError `invalid_evidence` if it has none, or several. */
export function kindOf(document: JsonObject): EvidenceKind {
  const [kind, other] = evidenceKinds.filter((one) => one.recognises(document));
  if (kind && !other) return kind;
  const known = evidenceKinds.map(({ title }) => title).join(', ');
  throw new ServiceError(
    'invalid_evidence',
    kind && other
      ? `It claims to be both ${kind.title} and ${other.title}. Remove the members of one of them.`
      : (adviceOnUnread(document) ?? `It is no evidence in a known format: ${known}.`),
  );
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
