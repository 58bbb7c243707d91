import {
  type AgentDetailAnswer,
  agent,
  agentDetail,
  agentList,
  type BoundAgentAnswer,
  type bindingChange,
  eventList,
  type StatusEventAnswer,
  type stateChange,
} from '../../../contract/control-plane/agents.ts';
import { mintedToken, type tokenRequest } from '../../../contract/control-plane/registrations.ts';
import { userList } from '../../../contract/control-plane/users.ts';
import { type ApiClient, ApiRefusal, answerJson, jsonBody, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import { failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { indented, say, table, writeText } from '../../terminal/output.ts';

/** A client of the control plane. */
function openControlPlane(io: Io): ApiClient {
  const { url, idBearer } = readClientSettings(io);
  return openClient({ url, bearer: idBearer });
}

function agentPath(id: string): string {
  return `/v1/agents/${encodeURIComponent(id)}`;
}

export interface ListFlags {
  readonly state?: string;
  readonly search?: string;
  readonly limit: number;
  readonly json?: true;
}

const pageSize = 1_000;

export async function listAgents(io: Io, { state, search, limit, json }: ListFlags): Promise<void> {
  const client = openControlPlane(io);
  const agents: BoundAgentAnswer[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({
      limit: String(Math.min(limit - agents.length, pageSize)),
      ...(state && { state }),
      ...(search && { q: search }),
      ...(cursor !== undefined && { cursor }),
    });
    const page = await answerJson(await client.send('GET', `/v1/agents?${query}`), agentList);
    agents.push(...page.agents);
    cursor = page.next_cursor;
  } while (cursor !== undefined && agents.length < limit);
  const rows = agents.map((one) => [one.agent_id, one.state, one.handle ?? '-', one.name, one.subject]);
  const head = ['AGENT', 'STATE', 'HANDLE', 'NAME', 'SUBJECT'];
  await writeText(io, json ? indented({ agents }) : table([head, ...rows]));
  if (cursor !== undefined) say(io, `There are more than ${limit} agents. Raise --limit to see them.`);
}

export async function showAgent(io: Io, id: string, { json: asJson }: { json?: true }): Promise<void> {
  const client = openControlPlane(io);
  const agent = await answerJson(await client.send('GET', agentPath(id)), agentDetail);
  const events = await statusEvents(client, id);
  const json = { ...agent, ...(events && { status_events: events }) };
  await writeText(io, asJson ? indented(json) : textOf(agent, events));
}

/** The latest events; undefined for members, who may not see them. */
async function statusEvents(client: ApiClient, id: string): Promise<StatusEventAnswer[] | undefined> {
  try {
    const response = await client.send('GET', `${agentPath(id)}/status-events`);
    return (await answerJson(response, eventList)).status_events;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 403) return undefined;
    throw error;
  }
}

function textOf(agent: AgentDetailAnswer, events: StatusEventAnswer[] | undefined): string {
  const { agent_id, name, handle, issuer, subject, state, created_at } = agent;
  const parts = [
    table([
      ['agent', agent_id],
      ['name', name],
      ['handle', handle ?? '-'],
      ['subject', `${subject} at ${issuer}`],
      ['state', state],
      ['registered', created_at],
    ]),
    table([
      ['KEY', 'SINCE', 'RETIRED'],
      ...agent.keys.map(({ did, added_at, retired_at }) => [did, added_at, retired_at ?? '-']),
    ]),
    table([
      ['BOUND TO', 'AT ISSUER', 'STATE', 'SINCE'],
      ...agent.bindings.map((one) => [one.subject, one.issuer, one.state, one.created_at]),
    ]),
  ];
  const rows = events?.map(({ event, at, actor, reason }) => [
    event,
    at,
    actor.subject ?? '-',
    reason ?? '-',
  ]);
  if (rows) parts.push(table([['EVENT', 'AT', 'BY', 'REASON'], ...rows]));
  return parts.join('\n');
}

export interface ChangeFlags {
  readonly reason?: string;
  readonly json?: true;
}

/** Revokes or restores an agent. */
export async function changeAgent(io: Io, verb: 'revoke' | 'restore', id: string, flags: ChangeFlags) {
  const { reason, json } = flags;
  const request = jsonBody<typeof stateChange>({ ...(reason !== undefined && { reason }) });
  const response = await openControlPlane(io).send('POST', `${agentPath(id)}/${verb}`, request);
  const changed = await answerJson(response, agent);
  const text = `${changed.agent_id} (${changed.name}) is ${changed.state}.\n`;
  await writeText(io, json ? indented(changed) : text);
}

/** Hands an agent over to another user. @param user an id, or an e-mail address of one user. */
export async function handOverAgent(io: Io, id: string, user: string, { reason, json }: ChangeFlags) {
  const client = openControlPlane(io);
  const { bindings } = await answerJson(await client.send('GET', agentPath(id)), agentDetail);
  const binding = bindings.find(({ state }) => state === 'active') ?? bindings[0];
  if (!binding) failNo(`The agent ${id} has no binding that could be handed over.`);
  const user_id = user.includes('@') ? await userOf(client, user) : user;
  const request = jsonBody<typeof bindingChange>({ user_id, ...(reason !== undefined && { reason }) });
  const path = `${agentPath(id)}/bindings/${encodeURIComponent(binding.id)}`;
  const agent = await answerJson(await client.send('PATCH', path, request), agentDetail);
  const text = `${agent.agent_id} (${agent.name}) belongs to ${agent.subject} at ${agent.issuer}.\n`;
  await writeText(io, json ? indented(agent) : text);
}

async function userOf(client: ApiClient, email: string): Promise<string> {
  const query = new URLSearchParams({ email });
  const { users } = await answerJson(await client.send('GET', `/v1/users?${query}`), userList);
  const [user] = users;
  if (user && users.length === 1) return user.id;
  failNo(`${users.length} users have the e-mail address ${email}. Name the user by an id of GET /v1/users.`);
}

export interface TokenFlags {
  readonly handle?: string;
  readonly json?: true;
}

/** Mints a registration token. Standard output has the token alone, so that a shell can put it into a variable. */
export async function mintToken(io: Io, name: string, { handle, json }: TokenFlags): Promise<void> {
  const body = { agent_name: name, ...(handle !== undefined && { agent_handle: handle }) };
  const request = jsonBody<typeof tokenRequest>(body);
  const response = await openControlPlane(io).send('POST', '/v1/agent-registration-tokens', request);
  const answer = await answerJson(response, mintedToken);
  await writeText(io, json ? indented(answer) : `${answer.registration_token}\n`);
  if (json) return;
  const { agent_id, expires_at, command_template } = answer;
  say(
    io,
    `The token registers ${agent_id} once, until ${expires_at}. Put it into AGENT_PROVISIONING_TOKEN and run:\n${command_template}`,
  );
}
