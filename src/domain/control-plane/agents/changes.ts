import type { CallerName } from '../../access/access.ts';
import { eachRecord, firstRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { assertEnabled, type Users } from '../users.ts';
import type { Agent, AgentBindings, AgentKeys, AgentState, AgentStatusEvents, Agents } from './agents.ts';

export interface AgentPorts {
  readonly agents: Agents;
  readonly agentKeys: AgentKeys;
  readonly agentBindings: AgentBindings;
  readonly agentStatusEvents: AgentStatusEvents;
  readonly now: () => Date;
}

type Change = Pick<Agent, 'lastChange'> &
  Partial<Pick<Agent, 'issuer' | 'subject' | 'name' | 'did' | 'state'>>;

const attempts = 20;

/**
 * Changes an agent, if nobody else has changed it meanwhile. A change is one update of the agent, which also says what
 * happened. Everything that follows from it is stored afterwards, and at the latest before the next change. So a
 * process may stop after any step. @returns the agent afterwards; undefined if somebody else has changed it.
 */
export async function changeAgent(
  ports: AgentPorts,
  agent: Agent,
  change: Change,
): Promise<Agent | undefined> {
  await settle(ports, agent);
  const { id, version } = agent;
  // Later than what followed from the version before, see `settle`.
  const changedAt = Math.max(ports.now().getTime(), agent.changedAt + 1);
  const next = { ...change, version: version + 1, changedAt };
  const changed = await ports.agents.update(id, { version }, next);
  if (changed) await settle(ports, changed);
  return changed;
}

/** Stores what follows from the last change of an agent. A repeat changes nothing. */
export async function settle(
  { agentKeys, agentBindings, agentStatusEvents }: Omit<AgentPorts, 'agents' | 'now'>,
  agent: Agent,
): Promise<void> {
  const { id: agentId, version, did, changedAt: at, lastChange } = agent;
  const id = `${agentId}:${version}`;
  // It is stored last.
  if (await agentStatusEvents.get(id)) return;
  const { event } = lastChange;
  if (event === 'registered' || event === 'handed_over') {
    const { issuer, subject } = agent;
    const binding = { id, agentId, issuer, subject, state: 'active', createdAt: at, endedAt: null } as const;
    await agentBindings.insert([binding]);
  }
  if (event === 'handed_over') {
    const former = eachRecord(agentBindings, 'byAgent', [agentId], { range: { until: at } });
    for await (const binding of former)
      await agentBindings.update(binding.id, { state: 'active' }, { state: 'ended', endedAt: at });
  }
  if (did !== null && (event === 'registered' || event === 'registered_again')) {
    await agentKeys.insert([{ id, agentId, version, did, addedAt: at, retiredAt: null }]);
    const former = eachRecord(agentKeys, 'byAgent', [agentId], { range: { until: version } });
    for await (const key of former)
      if (key.retiredAt === null) await agentKeys.update(key.id, { retiredAt: null }, { retiredAt: at });
  }
  await agentStatusEvents.insert([{ id, agentId, version, at, ...lastChange, isLogged: false }]);
}

interface StateChange {
  readonly state: AgentState;
  readonly actor: CallerName;
  readonly reason: string | null;
}

/**
 * Revokes or restores an agent. If it is in that state already, nothing changes.
 * @throws ServiceError `not_found`; `unavailable` if too many others change the agent at the same time.
 */
export async function changeState(
  ports: AgentPorts,
  id: string,
  { state, actor, reason }: StateChange,
): Promise<Agent> {
  const event = state === 'revoked' ? 'revoked' : 'restored';
  return await tryOften(async () => {
    const agent = await ports.agents.get(id);
    if (!agent) throwUnknownAgent(id);
    if (agent.state !== state)
      return await changeAgent(ports, agent, { state, lastChange: { event, actor, reason } });
    await settle(ports, agent);
    return agent;
  });
}

/** Repeats a conditional change until it succeeds. @throws ServiceError `unavailable`. */
export async function tryOften<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let left = attempts; left > 0; left -= 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  const message = 'Others keep changing this agent at the same time. Try again.';
  throw new ServiceError('unavailable', message, { retryAfter: 1 });
}

export function throwUnknownAgent(id: string): never {
  throw new ServiceError('not_found', `There is no agent ${id.slice(0, 200)} that you may see.`);
}

/** Names a binding by its agent and its id. */
interface BindingName {
  readonly agentId: string;
  readonly id: string;
}

/** Ends a binding. If it has ended already, nothing changes. @throws ServiceError `not_found`. */
export async function endBinding(ports: AgentPorts, name: BindingName): Promise<void> {
  await boundAgent(ports, name);
  const endedAt = ports.now().getTime();
  await ports.agentBindings.update(name.id, { state: 'active' }, { state: 'ended', endedAt });
}

interface HandOver {
  /** The id of the user whose agent it will be. */
  readonly userId: string;
  readonly actor: CallerName;
  readonly reason: string | null;
}

/**
 * Hands an agent over to another user, who gets a binding. All others end. Repeats change nothing.
 * @throws ServiceError `not_found`; `invalid_request` for an unknown user; `forbidden` for a disabled one; `unavailable` if
 * too many others change the agent at the same time.
 */
export async function handOver(
  ports: AgentPorts & { readonly users: Pick<Users, 'get'> },
  name: BindingName,
  { userId, actor, reason }: HandOver,
): Promise<void> {
  const user = await ports.users.get(userId);
  if (!user)
    throw new ServiceError('invalid_request', `There is no user ${userId}. List them with GET /v1/users.`);
  assertEnabled(user);
  const { issuer, subject } = user;
  await tryOften(async () => {
    const agent = await boundAgent(ports, name);
    const isTheirs = agent.issuer === issuer && agent.subject === subject;
    const bound = [agent.id, issuer, subject, 'active'];
    if (isTheirs && (await firstRecord(ports.agentBindings, 'byViewer', bound))) return agent;
    return await changeAgent(ports, agent, {
      issuer,
      subject,
      lastChange: { event: 'handed_over', actor, reason },
    });
  });
}

async function boundAgent(ports: AgentPorts, { agentId, id }: BindingName): Promise<Agent> {
  const agent = await ports.agents.get(agentId);
  if (!agent) throwUnknownAgent(agentId);
  await settle(ports, agent);
  const binding = await ports.agentBindings.get(id);
  if (binding?.agentId === agentId) return agent;
  throw new ServiceError('not_found', `The agent ${agentId} has no binding ${id.slice(0, 300)}.`);
}
