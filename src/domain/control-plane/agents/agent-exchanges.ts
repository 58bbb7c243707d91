import type { CallerName } from '../../access/access.ts';
import type { AuditExchange, AuditExchanges } from '../gateway/runtime-records.ts';
import { type AgentProjectPorts, projectsOf } from '../projects/evidence.ts';
import { listExchanges, runtimeScope } from '../projects/runtime-reads.ts';
import { type AgentNaming, agentsOfOneDid, roleOf } from './agent-names.ts';

export interface AgentExchangePorts extends AgentNaming, AgentProjectPorts {
  readonly exchanges: Pick<AuditExchanges, 'get' | 'page' | 'among'>;
}

export interface AgentExchanges {
  readonly exchanges: readonly AuditExchange[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

const everything = { from: null, until: null, outcome: null, model: null };
const mostOfProject = 1_000;

/**
 * The newest exchanges of the agents with these DIDs in projects of the operator, for an administrator. Agents that are in projects of
 * the governance console too are left out, because only a bearer token opens those.
 */
export async function exchangesOfAgents(
  ports: AgentExchangePorts,
  dids: readonly string[],
  viewer: CallerName,
): Promise<ReadonlyMap<string, AgentExchanges>> {
  const found = new Map<string, AgentExchanges>();
  if (dids.length === 0 || (await roleOf(ports, viewer)) !== 'admin') return found;
  for (const agents of await ports.agents.among('byDid', dids, agentsOfOneDid))
    for (const { id, did } of agents) {
      const { operated, boundToConsole } = await projectsOf(ports, id);
      if (did === null || boundToConsole > 0) continue;
      const page = { after: null, limit: mostOfProject, order: 'descending' } as const;
      const pages = await Promise.all(
        operated.map(({ projectUuid }) =>
          listExchanges(ports, runtimeScope(projectUuid, id), everything, page),
        ),
      );
      const before = found.get(did) ?? { exchanges: [], isCut: false };
      found.set(did, {
        exchanges: [...before.exchanges, ...pages.flatMap(({ records }) => records)],
        isCut: before.isCut || pages.some(({ next }) => next !== undefined),
      });
    }
  return found;
}
