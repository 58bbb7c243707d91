import {
  agent,
  agentDetail as agentDetailAnswer,
  agentList,
  agentParams,
  agentQuery,
  bindingChange,
  bindingParams,
  eventList,
  stateChange,
} from '../../../contract/control-plane/agents.ts';
import { paging } from '../../../contract/paging.ts';
import type { AgentState } from '../../../domain/control-plane/agents/agents.ts';
import {
  type AgentPorts,
  changeState,
  endBinding,
  handOver,
} from '../../../domain/control-plane/agents/changes.ts';
import {
  agentDetail,
  listAgents,
  listStatusEvents,
  withBindings,
} from '../../../domain/control-plane/agents/visible-agents.ts';
import type { Users } from '../../../domain/control-plane/users.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import { jsonOf, pageRequest } from '../../answering.ts';
import { errorAnswer, jsonAnswer } from '../../answers.ts';
import { type JsonLimits, parsedJsonBody, parsedOptionalJsonBody } from '../../parsed-request.ts';
import { type ControlPlaneApp, operation } from '../operation.ts';
import { agentDetailJson, agentJson, boundAgentJson, statusEventJson } from './agent-json.ts';

const tag = 'Agents';

const unknownAgent = errorAnswer('No such agent, or none that the caller may see');

export interface AgentRoutes extends AgentPorts {
  readonly users: Pick<Users, 'get'>;
  readonly limits: JsonLimits;
}

export function agentRoutes(app: ControlPlaneApp, ports: AgentRoutes): void {
  operation(app, 'GET /v1/agents', {
    access: 'authenticated',
    tag,
    summary: 'List agents',
    description:
      'Administrators see all agents, members those with an active binding to them. A page may be shorter than its limit, or empty. The last page has no next_cursor.',
    query: agentQuery,
    answers: { 200: jsonAnswer('A page of agents, in the order of their registration', agentList) },
    handle: async ({ answerList, principal, query }) => {
      const { state = null, q: text = null } = query;
      const page = await listAgents(ports, principal, { state, text }, pageRequest(query));
      const bound = await withBindings(ports, principal, page.records);
      return await answerList('agents', jsonOf(bound, boundAgentJson), page);
    },
  });

  operation(app, 'GET /v1/agents/{id}', {
    access: 'authenticated',
    tag,
    summary: 'Show an agent with its keys and bindings',
    description:
      'For members, an agent without an active binding to them looks like one that does not exist.',
    params: agentParams,
    answers: { 200: jsonAnswer('The agent', agentDetailAnswer), 404: unknownAgent },
    handle: async ({ answer, principal, params: { id } }) =>
      answer(200, agentDetailJson(await agentDetail(ports, principal, id))),
  });

  operation(app, 'GET /v1/agents/{id}/status-events', {
    access: 'admin',
    tag,
    summary: 'List what happened to an agent, newest first',
    description:
      'Every registration, revocation, restoration and handing over. Events are never changed or removed.',
    params: agentParams,
    query: paging,
    answers: { 200: jsonAnswer('A page of events', eventList), 404: unknownAgent },
    handle: async ({ answerList, params: { id }, query }) => {
      const page = await listStatusEvents(ports, id, pageRequest(query));
      return await answerList('status_events', jsonOf(page.records, statusEventJson), page);
    },
  });

  bindingOperation(app, ports);
  stateOperation(app, ports, {
    verb: 'revoke',
    state: 'revoked',
    summary: 'Revoke an agent',
    description:
      'From the next request on, every process refuses what is reported about the agent and its registrations. Revoking a revoked agent changes nothing.',
  });
  stateOperation(app, ports, {
    verb: 'restore',
    state: 'active',
    summary: 'Restore a revoked agent',
    description: 'The agent keeps its key and its bindings. Restoring an active agent changes nothing.',
  });
}

function bindingOperation(app: ControlPlaneApp, ports: AgentRoutes): void {
  operation(app, 'PATCH /v1/agents/{id}/bindings/{binding_id}', {
    access: 'admin',
    tag,
    summary: 'End a binding, or hand the agent over to another user',
    description:
      'state: "ended" ends the binding: its subject no longer sees the agent, and cannot register it again. user_id hands the agent over: that user gets a binding, all others end, and the agent is accepted again if its user was disabled. A repeat changes nothing.',
    params: bindingParams,
    body: { 'application/json': { schema: bindingChange } },
    answers: { 200: jsonAnswer('The agent afterwards', agentDetailAnswer), 404: unknownAgent },
    handle: async ({ context, answer, principal, params: { id, binding_id } }) => {
      note(context, { target: id, details: { binding_id } });
      const { state, user_id, reason: given } = await parsedJsonBody(context, bindingChange, ports.limits);
      const reason = given || null;
      const change: Record<string, string> = state === undefined ? { user_id: String(user_id) } : { state };
      note(context, { details: { binding_id, ...change, reason } });
      const name = { agentId: id, id: binding_id };
      const { issuer, subject } = principal;
      if (user_id === undefined) await endBinding(ports, name);
      else await handOver(ports, name, { userId: user_id, actor: { issuer, subject }, reason });
      return answer(200, agentDetailJson(await agentDetail(ports, principal, id)));
    },
  });
}

interface StateOperation {
  readonly verb: 'revoke' | 'restore';
  readonly state: AgentState;
  readonly summary: string;
  readonly description: string;
}

function stateOperation(app: ControlPlaneApp, ports: AgentRoutes, { verb, state, ...words }: StateOperation) {
  operation(app, `POST /v1/agents/{id}/${verb}`, {
    access: 'admin',
    tag,
    ...words,
    params: agentParams,
    body: { 'application/json': { schema: stateChange } },
    answers: { 200: jsonAnswer('The agent afterwards', agent), 404: unknownAgent },
    handle: async ({ context, answer, principal, params: { id } }) => {
      note(context, { target: id });
      const { reason: given } = await parsedOptionalJsonBody(context, stateChange, ports.limits);
      const reason = given || null;
      note(context, { details: { reason } });
      const { issuer, subject } = principal;
      const change = { state, reason, actor: { issuer, subject } };
      return answer(200, agentJson(await changeState(ports, id, change)));
    },
  });
}
