import { z } from 'zod';
import { agentEvent } from '../../domain/control-plane/agents/agents.ts';
import { tile } from '../integrity/log.ts';
import { pageOf, paging } from '../paging.ts';
import { oneOf, withoutControls } from '../patterns.ts';
import { uuidField } from '../values.ts';

const time = z.iso.datetime();

const agentId = z.string().meta({ example: 'agent_pq3rt7zkq5uehl2m4w6jxvb5cdnysgoa' });

export const agent = z
  .object({
    agent_id: agentId,
    name: z.string().meta({ example: 'Build agent' }),
    handle: z.string().nullable().meta({ example: 'build' }),
    issuer: z.string().describe('Issuer of the subject whose agent this is'),
    subject: z.string(),
    did: z.string().nullable().describe('DID of the current key'),
    state: z.enum(['active', 'revoked']),
    created_at: time.describe('When the agent registered first'),
    changed_at: time.describe('The last registration, revocation, restoration or handing over'),
  })
  .meta({ id: 'Agent' });

const bindings = z
  .array(
    z.object({
      id: z.string().meta({ example: 'agent_pq3rt7zkq5uehl2m4w6jxvb5cdnysgoa:1' }),
      issuer: z.string(),
      subject: z.string(),
      state: z.enum(['active', 'ended']),
      created_at: time,
      ended_at: time.nullable(),
    }),
  )
  .describe('Who may see the agent besides administrators, at most 100. Members see their own bindings only');

const boundAgent = agent.extend({ bindings }).meta({ id: 'BoundAgent' });

export const agentKey = z.object({ did: z.string(), added_at: time, retired_at: time.nullable() });

export const agentDetail = boundAgent
  .extend({ keys: z.array(agentKey).describe('The latest 100 keys, the current one first') })
  .meta({ id: 'AgentDetail' });

const agentStatusEvent = z
  .object({
    event: agentEvent.describe('registered_again: with another key or name; handed_over: to another user'),
    actor: z.object({
      issuer: z.string(),
      subject: z.string().nullable().describe('null while authentication is disabled'),
    }),
    reason: z.string().nullable(),
    at: time,
  })
  .meta({ id: 'AgentStatusEvent' });

export const agentList = pageOf({ agents: z.array(boundAgent) }).meta({ id: 'AgentList' });

export const eventList = pageOf({ status_events: z.array(agentStatusEvent) }).meta({
  id: 'AgentStatusEventList',
});

export const agentParams = z.object({ id: z.string().min(1).max(200) });

export const agentLogTileParams = agentParams.extend({ tile });

export const bindingParams = agentParams.extend({ binding_id: z.string().min(1).max(300) });

export const agentQuery = paging.extend({
  state: z.enum(['active', 'revoked']).optional(),
  q: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('Words, each in the name or handle, in any case, or the whole agent_id or DID'),
});

const reason = z
  .string()
  .trim()
  .max(1_000)
  .regex(...withoutControls)
  .nullable()
  .optional()
  .describe('Why, for the status events and the audit log');

export const stateChange = z.strictObject({ reason }).meta({ id: 'AgentStateChange' });

export const bindingChange = z
  .strictObject({
    state: z.literal('ended').optional().describe('Ends the binding'),
    user_id: uuidField.optional().describe('Hands the agent over to this user: an id of GET /v1/users'),
    reason,
  })
  .refine(
    ({ state, user_id }) => (state === undefined) !== (user_id === undefined),
    'must have either state or user_id',
  )
  .meta({ id: 'AgentBindingChange', ...oneOf('state', 'user_id') });

export type AgentAnswer = z.output<typeof agent>;
export type BoundAgentAnswer = z.output<typeof boundAgent>;
export type AgentDetailAnswer = z.output<typeof agentDetail>;
export type StatusEventAnswer = z.output<typeof agentStatusEvent>;
