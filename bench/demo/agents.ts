import { agentRecords } from '../../src/domain/control-plane/agents/agents.ts';
import { registerAgent } from '../../src/domain/control-plane/agents/registration.ts';
import {
  mintRegistration,
  registrationTokens,
} from '../../src/domain/control-plane/agents/registration-tokens.ts';
import { users } from '../../src/domain/control-plane/users.ts';
import type { Store } from '../../src/storage/open.ts';
import { didOf } from './actors.ts';

const named = [
  { handle: 'builder', name: 'Build agent' },
  { handle: 'reviewer', name: 'Review agent' },
  { handle: 'triage', name: 'Triage agent' },
] as const;

/** Who brought the agents in. */
interface Owner {
  readonly issuer: string;
  readonly subject: string;
}

export interface DemoAgent {
  readonly id: string;
  readonly handle: string;
  readonly did: string;
  readonly isNew: boolean;
  readonly isRevoked: boolean;
}

/**
 * Registers the agents of the demo as their owner would. Without authentication nobody could mint their tokens at the
 * API. A repeat changes nothing.
 */
export async function registerAgents(store: Pick<Store, 'of'>, owner: Owner): Promise<DemoAgent[]> {
  const ports = portsOf(store);
  const registered: DemoAgent[] = [];
  for (const { handle, name } of named) {
    const did = didOf(`agent ${handle}`);
    const { jti, agentId } = await mintRegistration(ports, { ...owner, handle, name });
    const known = await ports.agents.get(agentId);
    const isRevoked = known?.state === 'revoked';
    if (!isRevoked) await registerAgent(ports, jti, did);
    registered.push({ id: agentId, handle, did, isNew: known === undefined, isRevoked });
  }
  return registered;
}

/** Revokes and restores new agents, so that there is something to see. */
export async function changeAgents(
  post: (path: string, body: object) => Promise<unknown>,
  agents: readonly DemoAgent[],
): Promise<void> {
  const change = async (wanted: string, verb: 'revoke' | 'restore', reason: string) => {
    const agent = agents.find(({ handle, isNew }) => handle === wanted && isNew);
    if (agent) await post(`/v1/agents/${agent.id}/${verb}`, { reason });
  };
  await change('triage', 'revoke', 'Its key was in a log.');
  await change('reviewer', 'revoke', 'It may have approved its own changes.');
  await change('reviewer', 'restore', 'It has not.');
}

function portsOf(store: Pick<Store, 'of'>) {
  return {
    ...agentRecords(store),
    registrationTokens: store.of(registrationTokens),
    users: store.of(users),
    newId: () => crypto.randomUUID(),
    now: () => new Date(),
  };
}
