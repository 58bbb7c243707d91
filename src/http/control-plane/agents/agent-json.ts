import type {
  AgentAnswer,
  AgentDetailAnswer,
  BoundAgentAnswer,
  StatusEventAnswer,
} from '../../../contract/control-plane/agents.ts';
import type {
  Agent,
  AgentBinding,
  AgentKey,
  AgentStatusEvent,
} from '../../../domain/control-plane/agents/agents.ts';
import type { AgentDetail, BoundAgent } from '../../../domain/control-plane/agents/visible-agents.ts';
import { isoOrNull, isoTime } from '../../answers.ts';

export function agentJson(agent: Agent): AgentAnswer {
  const { id, name, handle, issuer, subject, did, state, createdAt, changedAt } = agent;
  const times = { created_at: isoTime(createdAt), changed_at: isoTime(changedAt) };
  return { agent_id: id, name, handle, issuer, subject, did, state, ...times };
}

export function boundAgentJson({ agent, bindings }: BoundAgent): BoundAgentAnswer {
  return { ...agentJson(agent), bindings: bindings.map(bindingJson) };
}

function bindingJson({ id, issuer, subject, state, createdAt, endedAt }: AgentBinding) {
  return { id, issuer, subject, state, created_at: isoTime(createdAt), ended_at: isoOrNull(endedAt) };
}

export function agentDetailJson({ keys, ...bound }: AgentDetail): AgentDetailAnswer {
  return { ...boundAgentJson(bound), keys: keys.map(keyJson) };
}

export function keyJson({ did, addedAt, retiredAt }: AgentKey) {
  return { did, added_at: isoTime(addedAt), retired_at: isoOrNull(retiredAt) };
}

export function statusEventJson({ event, actor, reason, at }: AgentStatusEvent): StatusEventAnswer {
  return { event, actor, reason, at: isoTime(at) };
}
