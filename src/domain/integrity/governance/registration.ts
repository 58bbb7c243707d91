import type { Principal } from '../../access/access.ts';
import { everythingGranted } from '../../access/grants.ts';
import { everythingVisible } from '../../access/visibility.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { ownContextUrl } from '../contexts/own.ts';
import { jcs } from '../identification/jcs.ts';
import { cidUrn, parseCid } from '../identifiers/cid.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import type { GraphStore, StatementRow, StatementStore } from '../ports.ts';
import { keepSignatures, ownSignature, type Signature } from '../signatures/signatures.ts';
import { putStatements, type StatementWriting } from '../statements/statements.ts';
import { type GovernanceRecord, type GovernanceRecords, governanceId } from './governance-records.ts';

export interface RegistrationPorts extends StatementWriting {
  readonly graphs: Pick<GraphStore, 'get' | 'add' | 'named'>;
  /** A random UUID. */
  readonly newId: () => string;
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
  outcomeCid: null,
  credentialId: null,
  validUntil: null,
  submittedBy: null,
  submittedAt: null,
};

/**
 * Registers a document about a subject with a GovernanceRegistration by this service. The caller must have checked that
 * the principal may do this. Idempotent: an existing registration is kept.
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
  const graphId = await projectGraph(ports, projectId);
  if (stored?.graphIds.includes(graphId)) return stored;
  const said = { '@type': 'GovernanceRegistration', subject, document: cidUrn(documentCid) };
  // A certificate is signed itself.
  const issueVc = registration.credentialId === undefined;
  const row = await putOwnStatement(ports, principal, said, { graphId, time, issueVc });
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

interface Putting {
  readonly graphId: string;
  readonly time: Date;
  readonly issueVc: boolean;
}

/** Stores a statement by this service. The caller must have checked that the principal may do this. Idempotent. */
export async function putOwnStatement(
  ports: Pick<RegistrationPorts, keyof StatementWriting | 'graphs'>,
  principal: Principal,
  said: JsonObject,
  { graphId, time, issueVc }: Putting,
): Promise<StatementRow> {
  const by = { registeredBy: ports.signer.did, timestamp: statementTime(time) };
  const body = new TextEncoder().encode(jcs({ '@context': ownContextUrl, ...said, ...by }));
  // The route's own permission was checked. It also covers the statement that the service makes of the request.
  const asService = { ...principal, grants: everythingGranted };
  const asked = { body, ranges: [0, body.length], isBatch: false, generateId: true, graphId, issueVc };
  const { rows } = await putStatements(ports, asService, asked);
  const [row] = [...rows] as [StatementRow];
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

const namesakesLooked = 10;

/**
 * The root graph for the governance of a project, which is registered if it does not exist. It has the id of the project,
 * unless a graph of another project took that first: then it is the first one of the project with the same name.
 */
export async function projectGraph(
  { graphs, newId }: Pick<RegistrationPorts, 'graphs' | 'newId'>,
  projectId: string,
): Promise<string> {
  const graph = { graphId: projectId, name: `Project ${projectId}`, parentId: null, projectId };
  const known = (await graphs.get(projectId)) ?? ((await graphs.add(graph)) === 'added' ? graph : undefined);
  const inPlace = known ?? (await graphs.get(projectId));
  if (inPlace?.projectId === projectId) return projectId;
  const visibility = { projects: new Set([projectId]) };
  for (;;) {
    const named = await graphs.named(graph.name, namesakesLooked, visibility);
    const [own] = named.filter(({ parentId }) => parentId === null);
    if (own) return own.graphId;
    await graphs.add({ ...graph, graphId: newId() });
  }
}
