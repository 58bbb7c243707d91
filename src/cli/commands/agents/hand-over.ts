import { agentDetail } from '../../../contract/control-plane/agents.ts';
import { userList } from '../../../contract/control-plane/users.ts';
import { type ApiClient, answerJson } from '../../client/api-client.ts';
import { failNo } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { writeText } from '../../terminal/write-out.ts';
import { agentPath, jsonBody, openControlPlane } from './control-plane.ts';

export interface HandOverFlags {
  readonly reason?: string;
  readonly json?: true;
}

/** Hands an agent over to another user. @param user an id, or an e-mail address of one user. */
export async function handOverAgent(
  io: Io,
  id: string,
  user: string,
  { reason, json }: HandOverFlags,
): Promise<void> {
  const client = openControlPlane(io);
  const { bindings } = await answerJson(await client.send('GET', agentPath(id)), agentDetail);
  const binding = bindings.find(({ state }) => state === 'active') ?? bindings[0];
  if (!binding) failNo(`The agent ${id} has no binding that could be handed over.`);
  const user_id = user.includes('@') ? await userOf(client, user) : user;
  const request = jsonBody({ user_id, ...(reason !== undefined && { reason }) });
  const path = `${agentPath(id)}/bindings/${encodeURIComponent(binding.id)}`;
  const agent = await answerJson(await client.send('PATCH', path, request), agentDetail);
  const text = json
    ? `${JSON.stringify(agent, null, 2)}\n`
    : `${agent.agent_id} (${agent.name}) belongs to ${agent.subject} at ${agent.issuer}.\n`;
  await writeText(io, text);
}

async function userOf(client: ApiClient, email: string): Promise<string> {
  const query = new URLSearchParams({ email });
  const { users } = await answerJson(await client.send('GET', `/v1/users?${query}`), userList);
  const [user] = users;
  if (user && users.length === 1) return user.id;
  failNo(`${users.length} users have the e-mail address ${email}. Name the user by an id of GET /v1/users.`);
}
