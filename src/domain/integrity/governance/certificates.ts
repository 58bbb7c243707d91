import type { Principal } from '../../access/access.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { credentialsV2 } from '../contexts/credentials.ts';
import { governanceContextUrl } from '../contexts/own.ts';
import { type IssuingPorts, issueCredential } from '../credentials/issue.ts';
import { standings } from '../credentials/status.ts';
import type { StatusEntries } from '../credentials/status-entries.ts';
import { type Cid, cidUrn, parseCid } from '../identifiers/cid.ts';
import { multihashes } from '../identifiers/hashing.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import { expiryIn } from './dates.ts';
import { assertDocument } from './documents.ts';
import {
  type CertificateRequests,
  type GovernanceDocuments,
  type GovernanceRecord,
  governanceId,
} from './governance-records.ts';
import { projectGraph, putOwnStatement, type RegistrationPorts, registerGovernance } from './registration.ts';

export interface CertificatePorts extends RegistrationPorts {
  readonly issuing: IssuingPorts;
  readonly statusEntries: Pick<StatusEntries, 'among'>;
  readonly certificateRequests: Pick<CertificateRequests, 'get' | 'insert'>;
  readonly governanceDocuments: Pick<GovernanceDocuments, 'page'>;
}

export interface Membership {
  readonly projectId: string;
  /** A DID, as `parseDid` demands it. */
  readonly subjectDid: string;
  readonly roles: readonly string[];
  readonly expiryDate: string;
}

export interface Compliance {
  readonly projectId: string;
  readonly subjectCid: Cid;
  readonly policyCid: Cid;
  readonly expiryDate: string;
}

export interface Certificate {
  readonly credentialId: string;
  /** JCS CID of the signed credential. */
  readonly sourceCid: string;
}

interface CertificateContent {
  readonly kind: Extract<GovernanceRecord['kind'], 'membership' | 'compliance'>;
  readonly type: string;
  readonly projectId: string;
  readonly subject: string;
  readonly claims: JsonObject;
  readonly policyCid: string | null;
  readonly outcomeCid?: string;
  readonly validUntil: Date;
}

/**
 * Issues a credential that makes an agent or a person a member of a project. The same request gets the same credential
 * until that is revoked.
 * @throws ServiceError `invalid_request` if the expiry is malformed or past.
 */
export async function issueMembership(
  ports: CertificatePorts,
  principal: Principal,
  { projectId, subjectDid, roles, expiryDate }: Membership,
): Promise<Certificate> {
  const role = [...new Set(roles)].sort();
  return await certify(ports, principal, {
    kind: 'membership',
    type: 'ProjectMembershipCredential',
    projectId,
    subject: subjectDid,
    claims: role.length > 0 ? { role } : {},
    policyCid: null,
    validUntil: expiryIn(expiryDate, 'expiryDate', ports.now()),
  });
}

/**
 * Issues a credential that a subject complies with a policy. The same request gets the same credential until that is
 * revoked.
 * @throws ServiceError `invalid_request` for an unknown subject or policy, or an expiry that is malformed or past.
 */
export async function issueCompliance(
  ports: CertificatePorts,
  principal: Principal,
  { projectId, subjectCid, policyCid, expiryDate }: Compliance,
): Promise<Certificate> {
  const validUntil = expiryIn(expiryDate, 'expiryDate', ports.now());
  await assertDocument(ports, 'subject', subjectCid);
  await assertDocument(ports, 'policy', policyCid);
  return await certify(ports, principal, {
    kind: 'compliance',
    type: 'PolicyComplianceCredential',
    projectId,
    subject: cidUrn(subjectCid),
    claims: { policy: cidUrn(policyCid) },
    policyCid: policyCid.text,
    validUntil,
  });
}

/** A check of a subject that has passed. */
export interface PassedCheck {
  readonly projectId: string;
  readonly subject: string;
  /** The JCS CIDs of the policy, and of the document about what was found. */
  readonly policyCid: string;
  readonly outcomeCid: string;
  readonly expiryDate: string;
  /** When it would no longer pass, in milliseconds since 1970. The certificate ends by then. */
  readonly acceptedUntil: number;
}

/**
 * Issues a credential that a subject complies with a policy, because a check has passed. It names the document about the check.
 * @throws ServiceError `invalid_request` if the expiry is malformed or past.
 */
export async function certifyCheck(
  ports: CertificatePorts,
  principal: Principal,
  { projectId, subject, policyCid, outcomeCid, expiryDate, acceptedUntil }: PassedCheck,
): Promise<Certificate> {
  const expiry = expiryIn(expiryDate, 'expiryDate', ports.now());
  const validUntil = new Date(Math.min(expiry.getTime(), acceptedUntil));
  const claims = { policy: cidUrn(policyCid) };
  const content = { kind: 'compliance', type: 'PolicyComplianceCredential', projectId, subject } as const;
  return await certify(ports, principal, { ...content, claims, policyCid, outcomeCid, validUntil });
}

async function certify(ports: CertificatePorts, principal: Principal, content: CertificateContent) {
  const { kind, type, projectId, subject, claims, policyCid, outcomeCid, validUntil } = content;
  // Before the credential, which would stay valid if its registration were refused.
  const graphId = await projectGraph(ports, projectId);
  const issued = await issueCredential(ports.issuing, {
    '@context': [credentialsV2, governanceContextUrl],
    id: await credentialIdFor(ports, content),
    type: ['VerifiableCredential', type],
    issuer: ports.signer.did,
    validFrom: statementTime(ports.now()),
    validUntil: statementTime(validUntil),
    credentialSubject: { id: subject, project: `urn:uuid:${projectId}`, ...claims },
    ...(outcomeCid !== undefined && { relatedResource: [resourceOf(outcomeCid)] }),
  });
  // A repeat gets the first credential, and so the same statement.
  const time = new Date(String(issued.credential.validFrom));
  if (outcomeCid !== undefined) {
    // So that exports carry what the certificate rests on.
    const said = { '@type': 'DataRegistration', data: cidUrn(outcomeCid) };
    await putOwnStatement(ports, principal, said, { graphId, time, issueVc: true });
  }
  await registerGovernance(ports, principal, {
    kind,
    projectId,
    subject,
    documentCid: issued.cid.text,
    time,
    policyCid,
    ...(outcomeCid !== undefined && { outcomeCid }),
    credentialId: issued.credentialId,
    validUntil: validUntil.getTime(),
  });
  return { credentialId: issued.credentialId, sourceCid: issued.cid.text };
}

/** A document that a credential rests on (Verifiable Credentials 2.0, 5.3). Its identifier is its BLAKE3 digest. */
function resourceOf(cid: string) {
  const { digest } = parseCid(cid);
  const multihash = Buffer.concat([Uint8Array.of(multihashes.blake3, digest.length), digest]);
  const digestMultibase = `u${multihash.toString('base64url')}`;
  return { id: cidUrn(cid), mediaType: 'application/json', digestMultibase };
}

/**
 * The id of the credential that answers a request. It is random, so that nobody can allocate it in advance, and kept, so
 * that a repeat finds it. A revoked credential is followed by a new one.
 */
async function credentialIdFor(ports: CertificatePorts, content: CertificateContent): Promise<string> {
  const { kind, projectId, subject, claims, outcomeCid, validUntil } = content;
  const parts = [kind, projectId, subject, claims, validUntil.getTime()];
  for (let attempt = 0; ; attempt += 1) {
    const id = governanceId(...parts, attempt, ...(outcomeCid === undefined ? [] : [outcomeCid]));
    const known = await ports.certificateRequests.get(id);
    if (!known) {
      const credentialId = `urn:uuid:${ports.newId()}`;
      const [isNew] = await ports.certificateRequests.insert([{ id, credentialId }]);
      if (isNew) return credentialId;
    }
    const { credentialId } = known ?? (await ports.certificateRequests.get(id)) ?? {};
    if (credentialId === undefined) continue;
    const standing = (await standings(ports.statusEntries, [credentialId])).get(credentialId);
    if (!standing?.revoked) return credentialId;
  }
}
