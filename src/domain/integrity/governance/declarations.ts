import type { Principal } from '../../access/access.ts';
import { firstRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { type Cid, cidUrn, codecs } from '../identifiers/cid.ts';
import type { StatementRow } from '../ports.ts';
import { momentIn } from './dates.ts';
import { assertDocument, type DocumentPorts, storeDocument } from './documents.ts';
import {
  type Decision,
  type GovernanceRecord,
  type GovernanceRecords,
  governanceId,
} from './governance-records.ts';
import { type RegistrationPorts, registerGovernance } from './registration.ts';

export type DeclarationPorts = RegistrationPorts &
  DocumentPorts & { readonly governanceRecords: Pick<GovernanceRecords, 'get' | 'insert' | 'page'> };

/** Whose declarations these are. */
export interface SubjectInProject {
  readonly subject: Cid;
  readonly projectId: string;
}

export interface Submission {
  /** What is stored: the request without its null members. */
  readonly document: JsonObject;
  readonly submittedAt: string;
  /** A claim of the caller. */
  readonly submittedBy: string;
  readonly controlCids: readonly Cid[];
  readonly attachmentCids: readonly Cid[];
}

export interface Review extends Submission {
  /** The `documentCid` or `statementCid` of the declaration. */
  readonly declarationCid: Cid;
  readonly decision: Decision;
}

export interface Declared {
  readonly documentCid: string;
  readonly statement: StatementRow;
}

/** Idempotent. @throws ServiceError `invalid_request` for an unknown subject or a malformed date. */
export async function declare(
  ports: DeclarationPorts,
  principal: Principal,
  place: SubjectInProject,
  submission: Submission,
): Promise<Declared> {
  await assertDocument(ports, 'subject', place.subject);
  return await submit(ports, principal, place, { submission, kind: 'declaration' });
}

/** Reviews a declaration of the same subject and project. Idempotent. @throws ServiceError as `declare` does. */
export async function review(
  ports: DeclarationPorts,
  principal: Principal,
  place: SubjectInProject,
  submission: Review,
): Promise<Declared> {
  await assertDocument(ports, 'subject', place.subject);
  const declaration = await declarationOf(ports, place, submission.declarationCid);
  const controlCids = textsOf(submission.controlCids);
  return await submit(ports, principal, place, {
    submission,
    kind: 'review',
    decision: submission.decision,
    declarationCid: declaration.documentCid,
    controlCids: controlCids.length > 0 ? controlCids : declaration.controlCids,
  });
}

/** A submission, and what the record says beside it. */
type Submitted = Pick<GovernanceRecord, 'kind'> &
  Partial<GovernanceRecord> & { readonly submission: Submission };

async function submit(
  ports: DeclarationPorts,
  principal: Principal,
  { subject, projectId }: SubjectInProject,
  { submission, ...more }: Submitted,
): Promise<Declared> {
  const { document, submittedAt, submittedBy, controlCids, attachmentCids } = submission;
  const time = momentIn(submittedAt, 'submittedAt');
  const { text: documentCid } = await storeDocument(ports, principal, document);
  const statement = await registerGovernance(ports, principal, {
    projectId,
    subject: cidUrn(subject),
    documentCid,
    time,
    controlCids: textsOf(controlCids),
    attachmentCids: textsOf(attachmentCids),
    submittedBy,
    submittedAt: time.getTime(),
    ...more,
  });
  return { documentCid, statement };
}

async function declarationOf(
  { governanceRecords }: DeclarationPorts,
  { subject, projectId }: SubjectInProject,
  cid: Cid,
): Promise<GovernanceRecord> {
  const urn = cidUrn(subject);
  const found =
    cid.codec === codecs.rdfc
      ? await firstRecord(governanceRecords, 'byStatement', [projectId, cid.text])
      : await governanceRecords.get(governanceId('declaration', projectId, urn, cid.text));
  if (found?.kind === 'declaration' && found.subject === urn) return found;
  throw new ServiceError(
    'invalid_request',
    `There is no declaration ${cid.text} of the subject ${subject.text} in the project ${projectId}. Send the documentCid that POST /gov/v1/controls/declaration/${subject.text}/${projectId} has answered.`,
  );
}

function textsOf(cids: readonly Cid[]): string[] {
  return [...new Set(cids.map(({ text }) => text))];
}
