import { z } from '@hono/zod-openapi';
import {
  type Agent,
  type AgentBinding,
  type AgentStatusEvent,
  agentEvent,
} from '../../../domain/control-plane/agents/agents.ts';
import type { AgentDetail, BoundAgent } from '../../../domain/control-plane/agents/visible-agents.ts';

const time = z.iso.datetime();
const agentId = z.string().openapi({ example: 'agent_pq3rt7zkq5uehl2m4w6jxvb5cdnysgoa' });

export const agentJsonShape = z
  .object({
    agent_id: agentId,
    name: z.string().openapi({ example: 'Build agent' }),
    handle: z.string().nullable().openapi({ example: 'build' }),
    issuer: z.string().describe('Issuer of the subject whose agent this is'),
    subject: z.string(),
    did: z.string().nullable().describe('DID of the current key'),
    state: z.enum(['active', 'revoked']),
    created_at: time.describe('When the agent registered first'),
    changed_at: time.describe('The last registration, revocation, restoration or handing over'),
  })
  .openapi('Agent');

const bindings = z
  .array(
    z.object({
      id: z.string().openapi({ example: 'agent_pq3rt7zkq5uehl2m4w6jxvb5cdnysgoa:1' }),
      issuer: z.string(),
      subject: z.string(),
      state: z.enum(['active', 'ended']),
      created_at: time,
      ended_at: time.nullable(),
    }),
  )
  .describe('Who may see the agent besides administrators, at most 100. Members see their own bindings only');

export const boundAgentShape = agentJsonShape.extend({ bindings }).openapi('BoundAgent');

export const agentDetailShape = boundAgentShape
  .extend({
    keys: z
      .array(z.object({ did: z.string(), added_at: time, retired_at: time.nullable() }))
      .describe('The latest 100 keys, the current one first'),
  })
  .openapi('AgentDetail');

export const statusEventShape = z
  .object({
    event: agentEvent.describe('registered_again: with another key or name; handed_over: to another user'),
    actor: z.object({
      issuer: z.string(),
      subject: z.string().nullable().describe('null while authentication is disabled'),
    }),
    reason: z.string().nullable(),
    at: time,
  })
  .openapi('AgentStatusEvent');

const iso = (moment: number) => new Date(moment).toISOString();
const isoOrNull = (moment: number | null) => (moment === null ? null : iso(moment));

export function agentJson(agent: Agent): z.output<typeof agentJsonShape> {
  const { id, name, handle, issuer, subject, did, state, createdAt, changedAt } = agent;
  const times = { created_at: iso(createdAt), changed_at: iso(changedAt) };
  return { agent_id: id, name, handle, issuer, subject, did, state, ...times };
}

export function boundAgentJson({ agent, bindings }: BoundAgent): z.output<typeof boundAgentShape> {
  return { ...agentJson(agent), bindings: bindings.map(bindingJson) };
}

function bindingJson({ id, issuer, subject, state, createdAt, endedAt }: AgentBinding) {
  return { id, issuer, subject, state, created_at: iso(createdAt), ended_at: isoOrNull(endedAt) };
}

export function agentDetailJson({ keys, ...bound }: AgentDetail): z.output<typeof agentDetailShape> {
  return {
    ...boundAgentJson(bound),
    keys: keys.map(({ did, addedAt, retiredAt }) => ({
      did,
      added_at: iso(addedAt),
      retired_at: isoOrNull(retiredAt),
    })),
  };
}

export function statusEventJson({ event, actor, reason, at }: AgentStatusEvent) {
  return { event, actor, reason, at: iso(at) };
}
