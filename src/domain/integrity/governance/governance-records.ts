import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { eachRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { jcs } from '../identification/jcs.ts';
import { cidOf, codecs } from '../identifiers/cid.ts';

const caller = z.object({ issuer: z.string(), subject: z.string() });

/** Subjects and policies that were registered here. A blob alone does not say what it is. */
export const governanceDocuments = collection('governance_documents', {
  shape: z.object({
    id: z.string().min(1),
    kind: z.enum(['subject', 'policy']),
    cid: z.string().min(1),
    /** The controls of a policy. A policy that was registered with several sets of controls has several records. */
    controlCids: z.array(z.string()),
    /** The authenticated caller. */
    caller,
    createdAt: z.int(),
  }),
  key: 'id',
  indexes: { byCid: ['kind', 'cid', 'createdAt'] },
});

export type GovernanceDocuments = RecordsOf<typeof governanceDocuments>;

export const decisions = ['approved', 'rejected', 'changes_requested'] as const;

/**
 * The GovernanceRegistrations that this service has made. Anybody can store a statement that names the service as
 * `registeredBy`, so the statement alone proves nothing.
 */
export const governanceRecords = collection('governance_records', {
  shape: z.object({
    id: z.string().min(1),
    kind: z.enum(['declaration', 'review', 'membership', 'compliance']),
    projectId: z.string().min(1),
    /** The subject of the statement: `urn:cid:` and a CID, or a DID. */
    subject: z.string().min(1),
    documentCid: z.string().min(1),
    statementCid: z.string().min(1),
    statementJcsCid: z.string().min(1),
    controlCids: z.array(z.string()),
    attachmentCids: z.array(z.string()),
    /** The `documentCid` of the reviewed declaration. */
    declarationCid: z.string().nullable(),
    decision: z.enum(decisions).nullable(),
    policyCid: z.string().nullable(),
    /** What a check found on which a certificate rests; null if it rests on none, and in records of earlier versions. */
    outcomeCid: z.string().nullable().default(null),
    credentialId: z.string().nullable(),
    validUntil: z.int().nullable(),
    /** The authenticated caller. */
    caller,
    /** Who the request claims to have submitted it. */
    submittedBy: z.string().nullable(),
    submittedAt: z.int().nullable(),
    createdAt: z.int(),
  }),
  key: 'id',
  indexes: {
    byProject: ['projectId', 'createdAt'],
    bySubject: ['subject', 'projectId', 'createdAt'],
    byStatement: ['projectId', 'statementCid'],
  },
});

export type GovernanceRecords = RecordsOf<typeof governanceRecords>;
export type GovernanceRecord = z.output<(typeof governanceRecords)['shape']>;
export type Decision = (typeof decisions)[number];

/** The credential that answers a request for a certificate, so that a repeat gets it again. */
export const certificateRequests = collection('certificate_requests', {
  shape: z.object({ id: z.string().min(1), credentialId: z.string().min(1) }),
  key: 'id',
});

export type CertificateRequests = RecordsOf<typeof certificateRequests>;

/** The key of a record: a hash, because keys must be short. */
export function governanceId(...parts: readonly unknown[]): string {
  return cidOf(codecs.jcs, jcs(parts)).text;
}

/** They are held in memory. */
const recordsLimit = 100_000;

/** What this service has registered in a project or about a subject, oldest first. @throws ServiceError `too_large`. */
export async function recordsAt(
  records: Pick<GovernanceRecords, 'page'>,
  index: 'byProject' | 'bySubject',
  prefix: readonly string[],
): Promise<GovernanceRecord[]> {
  const found: GovernanceRecord[] = [];
  for await (const record of eachRecord(records, index, prefix)) {
    if (found.push(record) > recordsLimit)
      throw new ServiceError(
        'too_large',
        `More than ${recordsLimit} governance records are not read at once.`,
      );
  }
  return found;
}
