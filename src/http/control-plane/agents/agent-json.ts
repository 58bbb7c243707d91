import type {
  AgentAnswer,
  AgentDetailAnswer,
  BoundAgentAnswer,
  StatusEventAnswer,
} from '../../../contract/control-plane/agents.ts';
import type { Agent, AgentBinding, AgentStatusEvent } from '../../../domain/control-plane/agents/agents.ts';
import type { AgentDetail, BoundAgent } from '../../../domain/control-plane/agents/visible-agents.ts';

const iso = (moment: number) => new Date(moment).toISOString();
const isoOrNull = (moment: number | null) => (moment === null ? null : iso(moment));

export function agentJson(agent: Agent): AgentAnswer {
  const { id, name, handle, issuer, subject, did, state, createdAt, changedAt } = agent;
  const times = { created_at: iso(createdAt), changed_at: iso(changedAt) };
  return { agent_id: id, name, handle, issuer, subject, did, state, ...times };
}

export function boundAgentJson({ agent, bindings }: BoundAgent): BoundAgentAnswer {
  return { ...agentJson(agent), bindings: bindings.map(bindingJson) };
}

function bindingJson({ id, issuer, subject, state, createdAt, endedAt }: AgentBinding) {
  return { id, issuer, subject, state, created_at: iso(createdAt), ended_at: isoOrNull(endedAt) };
}

export function agentDetailJson({ keys, ...bound }: AgentDetail): AgentDetailAnswer {
  return {
    ...boundAgentJson(bound),
    keys: keys.map(({ did, addedAt, retiredAt }) => ({
      did,
      added_at: iso(addedAt),
      retired_at: isoOrNull(retiredAt),
    })),
  };
}

export function statusEventJson({ event, actor, reason, at }: AgentStatusEvent): StatusEventAnswer {
  return { event, actor, reason, at: iso(at) };
}
