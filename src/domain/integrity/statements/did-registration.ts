import type { Principal } from '../../access/access.ts';
import type { Visibility } from '../../access/visibility.ts';
import { ownContextUrl } from '../contexts/own.ts';
import { graphForWriting } from '../graphs/graphs.ts';
import { jcs } from '../identification/jcs.ts';
import { parseDidKey } from '../identifiers/did-key.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import type { StatementRow, StatementStore } from '../ports.ts';
import { putStatements, type StatementWriting } from './statements.ts';

export interface DidRegistration extends StatementWriting {
  readonly statements: Pick<StatementStore, 'putMany' | 'referring'>;
  /** The DID in whose name this service registers. */
  readonly serviceDid: string;
  readonly now: () => Date;
}

/** How many registrations of one DID are looked through for one by this service. */
const registrationsSeen = 100;

/**
 * Registers a did:key in a statement of the service's own. Repeatable: a DID that this service has registered
 * in the graph already keeps that statement.
 * @throws ServiceError `invalid_request` for what is no did:key of a supported type.
 */
export async function registerDid(
  ports: DidRegistration,
  principal: Principal,
  visibility: Visibility,
  { did, graphId }: { did: string; graphId: string | null },
): Promise<{ statement: StatementRow; isNew: boolean }> {
  parseDidKey(did);
  if (graphId !== null) await graphForWriting(ports.graphs, principal, graphId);
  const existing = await findRegistration(ports, visibility, did, graphId);
  if (existing) return { statement: existing, isNew: false };
  const statement = {
    '@context': ownContextUrl,
    '@type': 'DidRegistration',
    did,
    registeredBy: ports.serviceDid,
    timestamp: statementTime(ports.now()),
  };
  const body = new TextEncoder().encode(jcs(statement));
  const { rows, isNew } = await putStatements(ports, principal, {
    body,
    ranges: [0, body.length],
    isBatch: false,
    generateId: true,
    graphId,
  });
  const [registration] = rows;
  return { statement: registration as StatementRow, isNew };
}

async function findRegistration(
  { statements, serviceDid }: DidRegistration,
  visibility: Visibility,
  did: string,
  graphId: string | null,
): Promise<StatementRow | undefined> {
  const reference = { identifier: did, role: 'did' };
  const query = { reference, kind: 'DidRegistration', graphId, limit: registrationsSeen };
  const found = await statements.referring(query, visibility);
  return found.find(({ references }) =>
    references.some(({ identifier, role }) => role === 'registeredBy' && identifier === serviceDid),
  );
}
