import { z } from '@hono/zod-openapi';
import type { AgentState } from '../../../domain/control-plane/agents/agents.ts';
import { type AgentPorts, changeState } from '../../../domain/control-plane/agents/changes.ts';
import {
  agentDetail,
  listAgents,
  listStatusEvents,
  withBindings,
} from '../../../domain/control-plane/agents/visible-agents.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { type JsonLimits, parsedOptionalJsonBody } from '../../json-request.ts';
import { jsonOf, listAnswer, nextCursor, pageRequest, paging } from '../../list-pages.ts';
import { type ControlPlaneApp, operation } from '../operation.ts';
import {
  agentDetailJson,
  agentDetailShape,
  agentJson,
  agentJsonShape,
  boundAgentJson,
  boundAgentShape,
  statusEventJson,
  statusEventShape,
} from './agent-json.ts';

const tag = 'Agents';

const agentList = z
  .object({ agents: z.array(boundAgentShape), next_cursor: nextCursor })
  .openapi('AgentList');
const eventList = z
  .object({ status_events: z.array(statusEventShape), next_cursor: nextCursor })
  .openapi('AgentStatusEventList');

const params = z.object({ id: z.string().min(1).max(200) });

const stateChange = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .max(1_000)
      .regex(/^\P{Cc}*$/u, 'must not have control characters')
      .nullable()
      .optional()
      .describe('Why, for the status events'),
  })
  .openapi('AgentStateChange');

const unknownAgent = errorAnswer('No such agent, or none that the caller may see');

export interface AgentRoutes extends AgentPorts {
  readonly limits: JsonLimits;
}

export function agentRoutes(app: ControlPlaneApp, ports: AgentRoutes): void {
  operation(app, 'GET /v1/agents', {
    access: 'authenticated',
    tag,
    summary: 'List agents',
    description:
      'Administrators see all agents, members those with an active binding to them. A page may be shorter than its limit, or empty. The last page has no next_cursor.',
    query: paging.extend({
      state: z.enum(['active', 'revoked']).optional(),
      q: z
        .string()
        .min(1)
        .max(300)
        .optional()
        .describe('Part of the name or handle in any case, or the whole agent_id or DID'),
    }),
    answers: { 200: jsonAnswer('A page of agents, in the order of their registration', agentList) },
    handle: async ({ context, principal, query }) => {
      const { state = null, q: text = null } = query;
      const page = await listAgents(ports, principal, { state, text }, pageRequest(query));
      const bound = await withBindings(ports, principal, page.records);
      return await listAnswer(context, 'agents', jsonOf(bound, boundAgentJson), page);
    },
  });

  operation(app, 'GET /v1/agents/{id}', {
    access: 'authenticated',
    tag,
    summary: 'Show an agent with its keys and bindings',
    description:
      'For members, an agent without an active binding to them looks like one that does not exist.',
    params,
    answers: { 200: jsonAnswer('The agent', agentDetailShape), 404: unknownAgent },
    handle: async ({ context, principal, params: { id } }) =>
      context.json(agentDetailJson(await agentDetail(ports, principal, id))),
  });

  operation(app, 'GET /v1/agents/{id}/status-events', {
    access: 'admin',
    tag,
    summary: 'List what happened to an agent, newest first',
    description: 'Every registration, revocation and restoration. Events are never changed or removed.',
    params,
    query: paging,
    answers: { 200: jsonAnswer('A page of events', eventList), 404: unknownAgent },
    handle: async ({ context, params: { id }, query }) => {
      const page = await listStatusEvents(ports, id, pageRequest(query));
      return await listAnswer(context, 'status_events', jsonOf(page.records, statusEventJson), page);
    },
  });

  stateOperation(app, ports, 'revoke', 'revoked', {
    summary: 'Revoke an agent',
    description:
      'From the next request on, every process refuses what is reported about the agent and its registrations. Revoking a revoked agent changes nothing.',
  });
  stateOperation(app, ports, 'restore', 'active', {
    summary: 'Restore a revoked agent',
    description: 'The agent keeps its key and its bindings. Restoring an active agent changes nothing.',
  });
}

function stateOperation(
  app: ControlPlaneApp,
  ports: AgentRoutes,
  verb: 'revoke' | 'restore',
  state: AgentState,
  words: { readonly summary: string; readonly description: string },
): void {
  operation(app, `POST /v1/agents/{id}/${verb}`, {
    access: 'admin',
    tag,
    ...words,
    params,
    body: { 'application/json': { schema: stateChange } },
    answers: { 200: jsonAnswer('The agent afterwards', agentJsonShape), 404: unknownAgent },
    handle: async ({ context, principal, params: { id } }) => {
      note(context, { target: id });
      const { reason: given } = await parsedOptionalJsonBody(context, stateChange, ports.limits);
      const reason = given || null;
      note(context, { details: { reason } });
      const { issuer, subject } = principal;
      const change = { state, reason, actor: { issuer, subject } };
      return context.json(agentJson(await changeState(ports, id, change)));
    },
  });
}
