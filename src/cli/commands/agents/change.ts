import { agent } from '../../../contract/control-plane/agents.ts';
import { answerJson } from '../../client/api-client.ts';
import type { Io } from '../../terminal/io.ts';
import { writeText } from '../../terminal/write-out.ts';
import { agentPath, jsonBody, openControlPlane } from './control-plane.ts';

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
  const changed = await answerJson(response, agent);
  const text = json
    ? `${JSON.stringify(changed, null, 2)}\n`
    : `${changed.agent_id} (${changed.name}) is ${changed.state}.\n`;
  await writeText(io, text);
}
