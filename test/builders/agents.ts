import { randomUUID } from 'node:crypto';
import type { Agent } from '../../src/domain/control-plane/agents/agents.ts';

export function newAgent(members: Partial<Agent> = {}): Agent {
  const [issuer, subject] = ['https://issuer.example', 'ada'];
  const lastChange = { event: 'registered', actor: { issuer, subject }, reason: null } as const;
  return {
    id: `agent-${randomUUID()}`,
    issuer,
    subject,
    handle: null,
    name: 'An agent',
    did: null,
    state: 'active',
    version: 1,
    createdAt: 1,
    changedAt: 1,
    lastChange,
    ...members,
  };
}
