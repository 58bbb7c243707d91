import type { CallerName, Principal } from '../../../access/access.ts';
import { logNames } from '../../../log/names.ts';
import type { Vkey } from '../../../log/notes/vkey.ts';
import { cidIn, cidUrn } from '../../identifiers/cid.ts';
import { type LoggedStatement, loggedRow, loggedStatements } from '../../logged/logged-statements.ts';
import type { StandingPorts } from '../../logged/standings.ts';
import type { NameIndex } from '../../names/name-index.ts';
import type { BlobStore, StatementScope } from '../../ports.ts';
import type { LogFact } from '../facts.ts';
import { signedCheckpoint } from './log-facts.ts';
import type { FactPorts } from './ports.ts';

export interface StoredFactPorts
  extends Omit<FactPorts, 'names' | 'documents' | 'logged' | 'isComplete' | 'exchanges' | 'disputed'>,
    Omit<StandingPorts, 'reach' | 'statementIndex'> {
  readonly names: Pick<NameIndex, 'of'>;
  readonly blobs: FactPorts['blobs'] & Pick<BlobStore, 'readSmall'>;
  /** The exchanges of agents that a caller may see. */
  readonly agentExchanges: (
    dids: readonly string[],
    viewer: CallerName,
  ) => ReturnType<FactPorts['exchanges']>;
}

/** Facts of a service, as its caller sees them. @param keys of the logs and witnesses that count. */
export function storedFacts(
  ports: StoredFactPorts & StandingPorts,
  principal: Principal,
  scope: StatementScope,
  keys: readonly Vkey[],
): FactPorts {
  const logged = async (statements: readonly string[]) => {
    const cids = statements.flatMap((id) => cidIn(id) ?? []);
    const found = await loggedStatements(ports, principal, { statements: cids, graphId: scope.graphId });
    return await loggedFacts(ports, found, keys);
  };
  return {
    ...ports,
    names: (dids) => ports.names.of(dids, scope),
    documents: (cids, limit) => ports.blobs.readSmall(cids, limit),
    logged,
    disputed: new Set(),
    exchanges: (dids) => ports.agentExchanges(dids, principal),
    isComplete: async (statements) => (await logged(statements)).size === new Set(statements).size,
  };
}

/** By the newest published checkpoint, which an export of this moment would have. */
async function loggedFacts(
  { publishedLogs: { reading } }: Pick<StandingPorts, 'publishedLogs'>,
  found: readonly (LoggedStatement | undefined)[],
  keys: readonly Vkey[],
): Promise<Map<string, LogFact>> {
  const facts = new Map<string, LogFact>();
  const newest = await reading.published();
  const checkpoint = newest && signedCheckpoint(newest.note, keys);
  if (!newest || !checkpoint) return facts;
  const known = found.filter((one) => one !== undefined);
  for (const [log, some] of Map.groupBy(known, (one) => one.log)) {
    const head = log === logNames.service ? undefined : await reading.headAt(log, newest.size);
    const indexes = await reading.indexesOf(
      log,
      some.map(({ row }) => loggedRow(row)),
    );
    for (const [at, { row }] of some.entries()) {
      const index = indexes[at];
      if (head && index !== undefined && index < head.size)
        facts.set(cidUrn(row.rdfcCid), { ...checkpoint, index, size: head.size });
    }
  }
  return facts;
}
