import { authorizeProject, type Principal } from '../../access/access.ts';
import { everythingVisible } from '../../access/visibility.ts';
import { ownContextUrl } from '../contexts/own.ts';
import { graphForWriting } from '../graphs/graphs.ts';
import { jcs } from '../identification/jcs.ts';
import { parseCid } from '../identifiers/cid.ts';
import { parseDidKey } from '../identifiers/did-key.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import type { StatementRow } from '../ports.ts';
import { type DidRegistrations, registrationId } from './did-registrations.ts';
import { putStatements, type StatementWriting } from './statements.ts';

export interface DidRegistration extends StatementWriting {
  readonly didRegistrations: Pick<DidRegistrations, 'get' | 'insert'>;
}

/**
 * Registers a did:key with a statement of this service. Idempotent: an existing registration by this service in the
 * graph is kept. @throws ServiceError `invalid_request` if it is not a did:key of a supported type; `forbidden`.
 */
export async function registerDid(
  ports: DidRegistration,
  principal: Principal,
  { did, graphId }: { did: string; graphId: string | null },
): Promise<{ statement: StatementRow; isNew: boolean }> {
  parseDidKey(did);
  if (graphId === null) await authorizeProject(principal, 'create_declarations', null);
  else await graphForWriting(ports.graphs, principal, graphId);
  const existing = await findRegistration(ports, did, graphId);
  if (existing) return { statement: existing, isNew: false };
  const registeredBy = ports.signer.did;
  const createdAt = ports.now();
  const members = { did, registeredBy, timestamp: statementTime(createdAt) };
  const statement = { '@context': ownContextUrl, '@type': 'DidRegistration', ...members };
  const body = new TextEncoder().encode(jcs(statement));
  const options = { isBatch: false, generateId: true, graphId, issueVc: true };
  const ranges = [0, body.length];
  const { rows, isNew } = await putStatements(ports, principal, { body, ranges, ...options });
  const [registration] = [...rows] as [StatementRow];
  const id = registrationId(registeredBy, did, graphId);
  const record = { id, jcsCid: registration.jcsCid.text, createdAt: createdAt.getTime() };
  await ports.didRegistrations.insert([record]);
  return { statement: registration, isNew };
}

/** Finds a registration by any key of this service. */
async function findRegistration(
  { statements, didRegistrations, signer }: DidRegistration,
  did: string,
  graphId: string | null,
): Promise<StatementRow | undefined> {
  for (const { did: registeredBy } of signer.keys) {
    const record = await didRegistrations.get(registrationId(registeredBy, did, graphId));
    const stored = record && (await statements.byJcsCid(parseCid(record.jcsCid), everythingVisible));
    if (stored && (graphId === null || stored.graphIds.includes(graphId))) return stored;
  }
  return undefined;
}
