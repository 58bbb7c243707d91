import { randomUUID } from 'node:crypto';
import type { Agent } from '../../src/domain/control-plane/agents/agents.ts';

/** The record of an agent that has registered. */
export function newAgent(more: Partial<Agent> = {}): Agent {
  const [issuer, subject] = ['https://issuer.example', randomUUID()];
  return {
    id: `agent_${randomUUID()}`,
    issuer,
    subject,
    handle: null,
    name: 'An agent',
    did: `did:key:${randomUUID()}`,
    state: 'active',
    version: 1,
    createdAt: 1,
    changedAt: 1,
    lastChange: { event: 'registered', actor: { issuer, subject }, reason: null },
    ...more,
  };
}
