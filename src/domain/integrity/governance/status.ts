import { isVisible, type Visibility } from '../../access/visibility.ts';
import { standings } from '../credentials/status.ts';
import type { StatusEntries } from '../credentials/status-entries.ts';
import {
  type Decision,
  type GovernanceRecord,
  type GovernanceRecords,
  recordsAt,
} from './governance-records.ts';

export interface StatusPorts {
  readonly governanceRecords: Pick<GovernanceRecords, 'page'>;
  readonly statusEntries: Pick<StatusEntries, 'among'>;
  readonly now: () => Date;
}

export interface ReviewRecord extends GovernanceRecord {
  readonly declarationCid: string;
  readonly decision: Decision;
}

export interface CertificateRecord extends GovernanceRecord {
  readonly kind: 'membership' | 'compliance';
  readonly credentialId: string;
  readonly validUntil: number;
}

export interface CertificateStatus {
  readonly record: CertificateRecord;
  readonly standing: CertificateStanding;
}

export const certificateStandings = ['valid', 'suspended', 'expired', 'revoked'] as const;
export type CertificateStanding = (typeof certificateStandings)[number];

/** What stands for a subject in a project. */
export interface GovernanceStatus {
  readonly projectId: string;
  /** Oldest first, each with its last review. */
  readonly declarations: readonly Reviewed[];
  /** The last declaration and the last review about each control. */
  readonly controls: readonly ControlStatus[];
  /** Memberships and compliance certificates, oldest first. */
  readonly certificates: readonly CertificateStatus[];
}

export interface Reviewed {
  readonly declaration: GovernanceRecord;
  readonly review: ReviewRecord | undefined;
}

export interface ControlStatus {
  readonly controlCid: string;
  readonly declaration: GovernanceRecord | undefined;
  readonly review: ReviewRecord | undefined;
}

/** @param subject `urn:cid:` and a CID, or a DID. */
export async function governanceStatus(
  ports: StatusPorts,
  subject: string,
  projectId: string,
): Promise<GovernanceStatus> {
  const records = await recordsAt(ports.governanceRecords, 'bySubject', [subject, projectId]);
  return await statusOf(ports, projectId, records);
}

/** What stands for a subject in each visible project that has something about it. */
export async function governanceStatuses(
  ports: StatusPorts,
  subject: string,
  visibility: Visibility,
): Promise<GovernanceStatus[]> {
  const records = await recordsAt(ports.governanceRecords, 'bySubject', [subject]);
  const visible = records.filter(({ projectId }) => isVisible(projectId, visibility));
  const byProject = Map.groupBy(visible, ({ projectId }) => projectId);
  return await Promise.all([...byProject].map(([projectId, own]) => statusOf(ports, projectId, own)));
}

async function statusOf(ports: StatusPorts, projectId: string, records: readonly GovernanceRecord[]) {
  const inOrder = records.toSorted(
    (one, other) => one.createdAt - other.createdAt || (one.submittedAt ?? 0) - (other.submittedAt ?? 0),
  );
  const declarations = inOrder.filter(({ kind }) => kind === 'declaration');
  const reviews = inOrder.filter(isReview);
  const reviewOf = new Map(reviews.map((review) => [review.declarationCid, review]));
  const declaredAbout = lastByControl(declarations);
  const reviewedAbout = lastByControl(reviews);
  return {
    projectId,
    declarations: declarations.map((one) => ({ declaration: one, review: reviewOf.get(one.documentCid) })),
    controls: [...new Set([...declaredAbout.keys(), ...reviewedAbout.keys()])].map((controlCid) => ({
      controlCid,
      declaration: declaredAbout.get(controlCid),
      review: reviewedAbout.get(controlCid),
    })),
    certificates: await certificatesOf(ports, inOrder),
  };
}

function lastByControl<Kind extends GovernanceRecord>(inOrder: readonly Kind[]): Map<string, Kind> {
  return new Map(inOrder.flatMap((record) => record.controlCids.map((cid) => [cid, record] as const)));
}

async function certificatesOf(
  { statusEntries, now }: StatusPorts,
  inOrder: readonly GovernanceRecord[],
): Promise<CertificateStatus[]> {
  const issued = inOrder.filter(isCertificate);
  const ids = issued.map(({ credentialId }) => credentialId);
  const found = await standings(statusEntries, ids);
  const time = now().getTime();
  return issued.map((record) => {
    const isExpired = record.validUntil <= time;
    const { revoked = false, suspended = false } = found.get(record.credentialId) ?? {};
    const standing = revoked ? 'revoked' : isExpired ? 'expired' : suspended ? 'suspended' : 'valid';
    return { record, standing };
  });
}

function isReview(record: GovernanceRecord): record is ReviewRecord {
  return record.kind === 'review' && record.declarationCid !== null && record.decision !== null;
}

function isCertificate(record: GovernanceRecord): record is CertificateRecord {
  const isOfKind = record.kind === 'membership' || record.kind === 'compliance';
  return isOfKind && record.credentialId !== null && record.validUntil !== null;
}
