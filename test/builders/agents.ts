import { randomUUID } from 'node:crypto';
import { exampleAgent } from '../../bench/example-agent.ts';
import type { Agent } from '../../src/domain/control-plane/agents/agents.ts';

export function newAgent(members: Partial<Agent> = {}): Agent {
  return { ...exampleAgent, id: `agent-${randomUUID()}`, ...members };
}
