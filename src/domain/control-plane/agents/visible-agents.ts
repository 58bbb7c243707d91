import { filteredPage } from '../../collections/filtered-page.ts';
import { firstRecord, type Page, type PageRequest } from '../../collections/records.ts';
import type { Caller } from '../access.ts';
import type {
  Agent,
  AgentBinding,
  AgentBindings,
  AgentKey,
  AgentKeys,
  AgentState,
  AgentStatusEvent,
  AgentStatusEvents,
  Agents,
} from './agents.ts';
import { settle, throwUnknownAgent } from './changes.ts';

export interface VisibleAgentPorts {
  readonly agents: Pick<Agents, 'get' | 'page' | 'among'>;
  readonly agentBindings: AgentBindings;
  readonly agentKeys: AgentKeys;
  readonly agentStatusEvents: AgentStatusEvents;
}

type Viewer = Pick<Caller, 'issuer' | 'subject' | 'role'>;

/** Null matches any value. */
export interface AgentFilter {
  readonly state: AgentState | null;
  /** Words, each in the name or handle, in any case, or the whole id or DID. */
  readonly text: string | null;
}

/** A search reads at most so many pages for one answer. */
const pagesSearched = 10;

/**
 * Agents in the order of their registration: all for administrators, for members those with an active binding to them.
 * A page may be short, or empty. @throws ServiceError `invalid_request` for a cursor of another list.
 */
export async function listAgents(
  ports: VisibleAgentPorts,
  viewer: Viewer,
  filter: AgentFilter,
  { after, limit }: PageRequest,
): Promise<Page<Agent>> {
  const named = filter.text === null ? undefined : await ports.agents.get(filter.text);
  if (named && matches(named, filter) && (await maySee(ports, viewer, named.id))) return { records: [named] };
  const records: Agent[] = [];
  let next: string | null | undefined = after;
  for (let left = filter.text === null ? 1 : pagesSearched; left > 0 && next !== undefined; left -= 1) {
    const page: Page<Agent> = await pageFor(ports, viewer, filter, { after: next, limit });
    records.push(...page.records.filter((agent) => matches(agent, filter)));
    next = page.next;
    // A page ends where its cursor does.
    if (records.length > 0) break;
  }
  return { records, ...(next != null && { next }) };
}

async function pageFor(
  { agents, agentBindings }: VisibleAgentPorts,
  { role, issuer, subject }: Viewer,
  { state, text }: AgentFilter,
  request: PageRequest,
): Promise<Page<Agent>> {
  if (role === 'admin') {
    const leading = { did: 'byDid', state: 'byState' } as const;
    const did = text?.startsWith('did:') ? text : null;
    return await filteredPage(agents, { leading, otherwise: 'byCreation' }, { did, state }, request);
  }
  const bound = await agentBindings.page('bySubject', [issuer, subject, 'active'], request);
  const ids = [...new Set(bound.records.map(({ agentId }) => agentId))];
  return { ...bound, records: (await agents.among('key', ids, 1)).flat() };
}

function matches({ id, name, handle, did, state }: Agent, filter: AgentFilter): boolean {
  if (filter.state !== null && state !== filter.state) return false;
  if (filter.text === null || filter.text === id || filter.text === did) return true;
  const names = `${name} ${handle ?? ''}`.toLowerCase();
  return filter.text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => names.includes(word));
}

export interface AgentDetail extends BoundAgent {
  readonly keys: readonly AgentKey[];
}

/** How many of the latest keys, and of the bindings, an agent is shown with. */
const partsShown = 100;

export interface BoundAgent {
  readonly agent: Agent;
  /** Those that the viewer may see: members see their own. */
  readonly bindings: readonly AgentBinding[];
}

/** Agents with their bindings, in order. */
export async function withBindings(
  { agentBindings }: Pick<VisibleAgentPorts, 'agentBindings'>,
  viewer: Viewer,
  agents: readonly Agent[],
): Promise<BoundAgent[]> {
  const ids = agents.map(({ id }) => id);
  const found = await agentBindings.among('byAgent', ids, partsShown);
  const isShown = (one: AgentBinding) =>
    viewer.role === 'admin' || (one.issuer === viewer.issuer && one.subject === viewer.subject);
  return agents.map((agent, at) => ({ agent, bindings: (found[at] ?? []).filter(isShown) }));
}

/** @throws ServiceError `not_found`, also if the viewer may not see the agent. */
export async function agentDetail(
  ports: VisibleAgentPorts,
  viewer: Viewer,
  id: string,
): Promise<AgentDetail> {
  const { agents, agentKeys } = ports;
  const agent = await agents.get(id);
  if (!agent || !(await maySee(ports, viewer, id))) throwUnknownAgent(id);
  await settle(ports, agent);
  const request = { after: null, limit: partsShown };
  const { records: keys } = await agentKeys.page('byAgent', [id], request);
  const [{ bindings } = { bindings: [] }] = await withBindings(ports, viewer, [agent]);
  return { agent, keys, bindings };
}

/** Whether a viewer is an administrator, or has an active binding to the agent. */
export async function maySee(
  { agentBindings }: { readonly agentBindings: Pick<AgentBindings, 'page'> },
  { role, issuer, subject }: Viewer,
  agentId: string,
): Promise<boolean> {
  if (role === 'admin') return true;
  return (await firstRecord(agentBindings, 'byViewer', [agentId, issuer, subject, 'active'])) !== undefined;
}

/** What happened to an agent, the latest first. @throws ServiceError `not_found`; `invalid_request` for a wrong cursor. */
export async function listStatusEvents(
  ports: VisibleAgentPorts,
  id: string,
  request: PageRequest,
): Promise<Page<AgentStatusEvent>> {
  const agent = await ports.agents.get(id);
  if (!agent) throwUnknownAgent(id);
  await settle(ports, agent);
  return await ports.agentStatusEvents.page('byAgent', [id], request);
}
