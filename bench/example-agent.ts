import type { Agent } from '../src/domain/control-plane/agents/agents.ts';

const actor = { issuer: 'https://issuer.example', subject: 'ada' };

/** An active agent. */
export const exampleAgent: Agent = {
  id: 'agent-1',
  ...actor,
  handle: null,
  name: 'An agent',
  did: null,
  state: 'active',
  version: 1,
  createdAt: 1,
  changedAt: 1,
  lastChange: { event: 'registered', actor, reason: null },
};
