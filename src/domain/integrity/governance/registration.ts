import type { Principal } from '../../access/access.ts';
import { everythingGranted } from '../../access/grants.ts';
import { everythingVisible } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import { ownContextUrl } from '../contexts/own.ts';
import { jcs } from '../identification/jcs.ts';
import { cidUrn, parseCid } from '../identifiers/cid.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import type { GraphStore, StatementRow, StatementStore } from '../ports.ts';
import { keepSignatures, ownSignature, type Signature } from '../signatures/signatures.ts';
import { putStatements, type StatementWriting } from '../statements/statements.ts';
import { type GovernanceRecord, type GovernanceRecords, governanceId } from './governance-records.ts';

export interface RegistrationPorts extends StatementWriting {
  readonly graphs: Pick<GraphStore, 'get' | 'add'>;
  readonly statements: Pick<StatementStore, 'putMany' | 'byJcsCid'>;
  readonly governanceRecords: Pick<GovernanceRecords, 'get' | 'insert'>;
  readonly now: () => Date;
}

/** What is registered, and what the record says about it. */
export type Registration = Pick<GovernanceRecord, 'kind' | 'projectId' | 'subject' | 'documentCid'> & {
  /** The `timestamp` of the statement. */
  readonly time: Date;
} & Partial<GovernanceRecord>;

const unused = {
  controlCids: [],
  attachmentCids: [],
  declarationCid: null,
  decision: null,
  policyCid: null,
  credentialId: null,
  validUntil: null,
  submittedBy: null,
  submittedAt: null,
};

/**
 * Registers a document about a subject with a GovernanceRegistration by this service. The caller must have checked that
 * the principal may do this. Idempotent: an existing registration is kept.
 * @throws ServiceError `conflict` as `ensureProjectGraph` does.
 */
export async function registerGovernance(
  ports: RegistrationPorts,
  principal: Principal,
  { time, ...registration }: Registration,
): Promise<StatementRow> {
  const { kind, projectId, subject, documentCid } = registration;
  const id = governanceId(kind, projectId, subject, documentCid);
  const known = await ports.governanceRecords.get(id);
  const stored =
    known && (await ports.statements.byJcsCid(parseCid(known.statementJcsCid), everythingVisible));
  if (stored?.graphIds.includes(projectId)) return stored;
  await ensureProjectGraph(ports.graphs, projectId);
  const statement = {
    '@context': ownContextUrl,
    '@type': 'GovernanceRegistration',
    subject,
    document: cidUrn(documentCid),
    registeredBy: ports.signer.did,
    timestamp: statementTime(time),
  };
  const body = new TextEncoder().encode(jcs(statement));
  // The route's own permission was checked. It also covers the statement that the service makes of the request.
  const asService = { ...principal, grants: everythingGranted };
  const { rows } = await putStatements(ports, asService, {
    body,
    ranges: [0, body.length],
    isBatch: false,
    generateId: true,
    graphId: projectId,
    // A certificate is signed itself.
    issueVc: registration.credentialId === undefined,
  });
  const [row] = [...rows] as [StatementRow];
  await keepSignatures(ports.signatures, signaturesOf(ports, row, registration));
  await ports.governanceRecords.insert([
    {
      ...unused,
      ...registration,
      id,
      statementCid: row.rdfcCid.text,
      statementJcsCid: row.jcsCid.text,
      caller: { issuer: principal.issuer, subject: principal.subject },
      createdAt: ports.now().getTime(),
    },
  ]);
  return row;
}

/** The signature of the certificate that the statement registers, so that the statement is revoked with it. */
function signaturesOf(
  { signer, now }: RegistrationPorts,
  { rdfcCid, jcsCid }: StatementRow,
  { documentCid, credentialId = null, validUntil = null }: Omit<Registration, 'time'>,
): Signature[] {
  if (credentialId === null) return [];
  return [
    ownSignature({
      carrier: jcsCid.text,
      about: cidUrn(rdfcCid),
      signer: signer.did,
      credentialId,
      credentialCid: documentCid,
      validFrom: null,
      validUntil,
      createdAt: now().getTime(),
    }),
  ];
}

/**
 * Registers the root graph of a project, whose id is that of the project, unless it exists.
 * @throws ServiceError `conflict` if it belongs to another project.
 */
export async function ensureProjectGraph(
  graphs: RegistrationPorts['graphs'],
  projectId: string,
): Promise<void> {
  const graph = { graphId: projectId, name: `Project ${projectId}`, parentId: null, projectId };
  const known = (await graphs.get(projectId)) ?? ((await graphs.add(graph)) === 'added' ? graph : undefined);
  const inPlace = known ?? (await graphs.get(projectId));
  if (inPlace?.projectId === projectId) return;
  throw new ServiceError(
    'conflict',
    `The graph ${projectId} belongs to another project, so it cannot hold the governance of the project ${projectId}.`,
  );
}
