import type { CallerName } from '../../access/access.ts';
import { developmentCaller } from '../access.ts';
import { type Users, userBySubject } from '../users.ts';
import type { Agent, AgentBindings, Agents } from './agents.ts';
import { maySee } from './visible-agents.ts';

export interface AgentNaming {
  readonly agents: Pick<Agents, 'among'>;
  readonly agentBindings: Pick<AgentBindings, 'page'>;
  readonly users: Pick<Users, 'page'>;
}

/** An agent registers with a token of its owner and proves that it holds the key, so few agents share a DID. */
export const agentsOfOneDid = 5;

/** The names of the agents that have these DIDs, and that the viewer may see. */
export async function agentNames(
  ports: AgentNaming,
  ids: readonly string[],
  viewer: CallerName,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const dids = [...new Set(ids)].filter((id) => id.startsWith('did:'));
  if (dids.length === 0) return names;
  const found = (await ports.agents.among('byDid', dids, agentsOfOneDid)).flat();
  if (found.length === 0) return names;
  const role = await roleOf(ports, viewer);
  for (const { id, did, ...agent } of found) {
    if (did === null || names.has(did)) continue;
    if (await maySee(ports, { ...viewer, role }, id)) names.set(did, nameOf(agent));
  }
  return names;
}

export async function roleOf({ users }: Pick<AgentNaming, 'users'>, { issuer, subject }: CallerName) {
  if (issuer === developmentCaller.issuer) return 'admin';
  const user = subject === null ? undefined : await userBySubject(users, issuer, subject);
  return user?.role ?? 'member';
}

export function nameOf({ name, handle }: Pick<Agent, 'name' | 'handle'>): string {
  return name.trim() === '' ? (handle ?? '') : name;
}
