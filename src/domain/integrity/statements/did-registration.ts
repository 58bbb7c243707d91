import { authorizeProject, type Principal } from '../../access/access.ts';
import type { Visibility } from '../../access/visibility.ts';
import { ownContextUrl } from '../contexts/own.ts';
import { graphForWriting } from '../graphs/graphs.ts';
import { jcs } from '../identification/jcs.ts';
import { parseDidKey } from '../identifiers/did-key.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import type { StatementRow, StatementStore } from '../ports.ts';
import type { Signer } from '../signer.ts';
import { placeNumber } from './places.ts';
import type { StatementIndex } from './questions.ts';
import { putStatements, type StatementWriting } from './statements.ts';

export interface DidRegistration extends StatementWriting {
  readonly statements: Pick<StatementStore, 'putMany' | 'byRdfcCid'>;
  readonly statementIndex: Pick<StatementIndex, 'referringTo'>;
  readonly signer: Pick<Signer, 'did' | 'keys'>;
  readonly now: () => Date;
}

/** The most registrations of a DID that are searched for one by this service. */
const registrationsSeen = 100;

/**
 * Registers a did:key with a statement of this service. Idempotent: an existing registration by this service in the
 * graph is kept.
 * @throws ServiceError `invalid_request` if it is not a did:key of a supported type.
 */
export async function registerDid(
  ports: DidRegistration,
  principal: Principal,
  { did, graphId }: { did: string; graphId: string | null },
): Promise<{ statement: StatementRow; isNew: boolean }> {
  parseDidKey(did);
  const visibility = await writableVisibility(ports, principal, graphId);
  const existing = await findRegistration(ports, visibility, did, graphId);
  if (existing) return { statement: existing, isNew: false };
  const statement = {
    '@context': ownContextUrl,
    '@type': 'DidRegistration',
    did,
    registeredBy: ports.signer.did,
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

/** What the caller may see of the graph to write to, or of everything. @throws ServiceError `forbidden`. */
async function writableVisibility(
  { graphs }: Pick<DidRegistration, 'graphs'>,
  principal: Principal,
  graphId: string | null,
): Promise<Visibility> {
  if (graphId !== null)
    return await principal.grants.visible((await graphForWriting(graphs, principal, graphId)).projectId);
  await authorizeProject(principal, 'create_declarations', null);
  return await principal.grants.visible();
}

async function findRegistration(
  { statements, statementIndex, signer }: DidRegistration,
  visibility: Visibility,
  did: string,
  graphId: string | null,
): Promise<StatementRow | undefined> {
  const place = placeNumber({ role: 'did', kind: 'DidRegistration' });
  const places = [{ place, limit: registrationsSeen }];
  const query = { identifiers: [did], places, most: registrationsSeen };
  const [answer] = await statementIndex.referringTo(query, { graphId, visibility });
  for (const { statement } of answer?.found.toReversed() ?? []) {
    const isOwn =
      statement.isTrusted &&
      statement.references.some(
        ({ identifier, role }) =>
          role === 'registeredBy' && signer.keys.some(({ did: own }) => own === identifier),
      );
    const stored = isOwn ? await statements.byRdfcCid(statement.rdfcCid, visibility) : undefined;
    if (stored && (graphId === null || stored.graphIds.includes(graphId))) return stored;
  }
  return undefined;
}
