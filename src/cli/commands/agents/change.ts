import { answerJson } from '../../client/api-client.ts';
import type { Io } from '../../terminal/io.ts';
import { writeText } from '../../terminal/write-out.ts';
import { agentAnswer, agentPath, jsonBody, openControlPlane } from './agent-answers.ts';

export interface ChangeFlags {
  readonly reason?: string;
  readonly json?: true;
}

/** Revokes or restores an agent. */
export async function changeAgent(
  io: Io,
  verb: 'revoke' | 'restore',
  id: string,
  { reason, json }: ChangeFlags,
): Promise<void> {
  const request = jsonBody({ ...(reason !== undefined && { reason }) });
  const response = await openControlPlane(io).send('POST', `${agentPath(id)}/${verb}`, request);
  const agent = await answerJson(response, agentAnswer);
  const text = json
    ? `${JSON.stringify(agent, null, 2)}\n`
    : `${agent.agent_id} (${agent.name}) is ${agent.state}.\n`;
  await writeText(io, text);
}
