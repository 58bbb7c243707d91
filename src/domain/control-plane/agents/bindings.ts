import { firstRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { assertEnabled, type Users } from '../users.ts';
import type { Agent } from './agents.ts';
import { type Actor, type AgentPorts, changeAgent, settle, throwUnknownAgent, tryOften } from './changes.ts';

/** Names a binding by its agent and its id. */
export interface BindingName {
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
  readonly actor: Actor;
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
