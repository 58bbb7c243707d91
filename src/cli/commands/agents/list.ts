import { agentList, type BoundAgentAnswer } from '../../../contract/control-plane/agents.ts';
import { answerJson } from '../../client/api-client.ts';
import type { Io } from '../../terminal/io.ts';
import { say } from '../../terminal/say.ts';
import { table } from '../../terminal/table.ts';
import { writeText } from '../../terminal/write-out.ts';
import { openControlPlane } from './control-plane.ts';

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
  const rows = agents.map(({ agent_id, state, handle, name, subject }) => [
    agent_id,
    state,
    handle ?? '-',
    name,
    subject,
  ]);
  const text = json
    ? `${JSON.stringify({ agents }, null, 2)}\n`
    : table([['AGENT', 'STATE', 'HANDLE', 'NAME', 'SUBJECT'], ...rows]);
  await writeText(io, text);
  if (cursor !== undefined) say(io, `There are more than ${limit} agents. Raise --limit to see them.`);
}
