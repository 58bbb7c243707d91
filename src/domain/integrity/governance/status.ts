import { everythingVisible, isVisible, type Visibility } from '../../access/visibility.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { standings } from '../credentials/status.ts';
import type { StatusEntries } from '../credentials/status-entries.ts';
import { parseCid } from '../identifiers/cid.ts';
import type { Policy } from '../policies/read-policy.ts';
import type { StatementScope } from '../ports.ts';
import { outOfDate } from '../signatures/trust.ts';
import {
  type Decision,
  type GovernanceRecord,
  type GovernanceRecords,
  recordsAt,
} from './governance-records.ts';
import { controlsOfPolicy, type GovernedPolicyPorts, governedPolicy, policiesNamed } from './policy-rules.ts';
import { type LostSupport, lostSupport, type SupportPorts, unknownSupport } from './support.ts';

export interface StatusPorts extends Omit<SupportPorts, 'documents' | 'disputed'>, GovernedPolicyPorts {
  readonly governanceRecords: Pick<GovernanceRecords, 'page'>;
  readonly statusEntries: Pick<StatusEntries, 'among'>;
  readonly now: () => Date;
}

export interface ReviewRecord extends GovernanceRecord {
  readonly declarationCid: string;
  readonly decision: Decision;
}

interface CertificateRecord extends GovernanceRecord {
  readonly kind: 'membership' | 'compliance';
  readonly credentialId: string;
  readonly validUntil: number;
}

interface CertificateStatus {
  readonly record: CertificateRecord;
  readonly standing: CertificateStanding;
  /** Why it is `unsupported`. */
  readonly lost: LostSupport | undefined;
  /** Controls of its policy about which the last review did not approve, or of which there is none. */
  readonly unreviewedControls: readonly string[];
}

/** `unsupported`: a statement on which the check behind it rested was withdrawn. `unknown`: nobody can tell here if one was. */
export const certificateStandings = [
  'valid',
  'suspended',
  'not_yet_valid',
  'expired',
  'revoked',
  'unsupported',
  'unknown',
] as const;
type CertificateStanding = (typeof certificateStandings)[number];

/** What stands for a subject in a project. */
export interface GovernanceStatus {
  readonly projectId: string;
  /** Oldest first, each with its last review. */
  readonly declarations: readonly Reviewed[];
  /** The last declaration and the last review about each control. */
  readonly controls: readonly ControlStatus[];
  /** Memberships and compliance certificates, oldest first. */
  readonly certificates: readonly CertificateStatus[];
  /** What the controls of its newest policies demand of evidence, if they carry rules. */
  readonly policies: readonly Policy[];
  /** Policies of which that was not looked up. */
  readonly furtherPolicies: readonly string[];
}

interface Reviewed {
  readonly declaration: GovernanceRecord;
  readonly review: ReviewRecord | undefined;
}

interface ControlStatus {
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
  const sorted = inOrder(records);
  const declarations = sorted.filter(({ kind }) => kind === 'declaration');
  const reviews = sorted.filter(isReview);
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
    certificates: await certificatesOf(ports, sorted),
    ...(await policiesOf(ports, sorted)),
  };
}

/** Oldest first. */
function inOrder(records: readonly GovernanceRecord[]): GovernanceRecord[] {
  return records.toSorted(
    (one, other) => one.createdAt - other.createdAt || (one.submittedAt ?? 0) - (other.submittedAt ?? 0),
  );
}

function lastByControl<Kind extends GovernanceRecord>(sorted: readonly Kind[]): Map<string, Kind> {
  return new Map(sorted.flatMap((record) => record.controlCids.map((cid) => [cid, record] as const)));
}

export const everything: StatementScope = { graphId: null, visibility: everythingVisible };

async function certificatesOf(
  ports: StatusPorts,
  records: readonly GovernanceRecord[],
): Promise<CertificateStatus[]> {
  const issued = records.filter(isCertificate);
  const ids = issued.map(({ credentialId }) => credentialId);
  const known = await standings(ports.statusEntries, ids);
  const time = ports.now().getTime();
  const { trusting, statementIndex, blobs } = ports;
  const reading: SupportPorts = { trusting, statementIndex, documents: blobs.readSmall, disputed: new Set() };
  const certificates: CertificateStatus[] = [];
  for (const record of issued) {
    const own = ownStanding(record, known.get(record.credentialId), time);
    const { outcomeCid, policyCid } = record;
    // Records of earlier versions have none.
    const outcome = own === 'valid' && outcomeCid ? parseCid(outcomeCid) : undefined;
    const found = outcome && (await lostSupport(reading, outcome, everything));
    const isUnknown = found === unknownSupport;
    const lost = isUnknown ? undefined : found;
    const standing = isUnknown ? 'unknown' : lost ? 'unsupported' : own;
    const controls = policyCid === null ? undefined : await controlsOfPolicy(ports, policyCid);
    const unreviewedControls = unreviewed(controls ?? [], records);
    certificates.push({ record, standing, lost, unreviewedControls });
    await yieldToEventLoop();
  }
  return certificates;
}

/** What a certificate says of itself, whatever it rests on. */
function ownStanding(
  { createdAt: validFrom, validUntil }: CertificateRecord,
  { revoked = false, suspended = false }: { readonly revoked?: boolean; readonly suspended?: boolean } = {},
  now: number,
): CertificateStatus['standing'] {
  if (revoked) return 'revoked';
  if (validUntil <= now) return 'expired';
  if (suspended) return 'suspended';
  return outOfDate({ validFrom, validUntil: null }, now) ? 'not_yet_valid' : 'valid';
}

/** Policies with rules that one answer applies. */
const mostPolicies = 10;

/** The policies that records name, or of which they name a control, those that were registered last first. */
async function policiesOf(
  ports: GovernedPolicyPorts,
  records: readonly GovernanceRecord[],
): Promise<Pick<GovernanceStatus, 'policies' | 'furtherPolicies'>> {
  const named = new Set(records.flatMap(({ policyCid, controlCids }) => [policyCid ?? '', ...controlCids]));
  const policies: Policy[] = [];
  const registered = named.size > 0 ? await policiesNamed(ports, named) : new Map<string, number>();
  const further = [...registered].sort(([, one], [, other]) => other - one).map(([cid]) => cid);
  while (policies.length < mostPolicies) {
    const cid = further.shift();
    if (cid === undefined) break;
    const rules = (await governedPolicy(ports, parseCid(cid)))?.rules;
    if (rules && 'policy' in rules) policies.push(rules.policy);
    await yieldToEventLoop();
  }
  return { policies, furtherPolicies: further };
}

/** The controls about which the last review of a subject has not approved. */
export async function unreviewedControls(
  { governanceRecords }: Pick<StatusPorts, 'governanceRecords'>,
  controls: readonly string[],
  subject: string,
  projectId: string,
): Promise<string[]> {
  return unreviewed(controls, inOrder(await recordsAt(governanceRecords, 'bySubject', [subject, projectId])));
}

function unreviewed(controls: readonly string[], sorted: readonly GovernanceRecord[]): string[] {
  const reviewed = lastByControl(sorted.filter(isReview));
  return controls.filter((control) => reviewed.get(control)?.decision !== 'approved');
}

function isReview(record: GovernanceRecord): record is ReviewRecord {
  return record.kind === 'review' && record.declarationCid !== null && record.decision !== null;
}

function isCertificate(record: GovernanceRecord): record is CertificateRecord {
  const isOfKind = record.kind === 'membership' || record.kind === 'compliance';
  return isOfKind && record.credentialId !== null && record.validUntil !== null;
}
