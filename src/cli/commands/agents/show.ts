import {
  type AgentDetailAnswer,
  agentDetail,
  eventList,
  type StatusEventAnswer,
} from '../../../contract/control-plane/agents.ts';
import { type ApiClient, ApiRefusal, answerJson } from '../../client/api-client.ts';
import type { Io } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';
import { writeText } from '../../terminal/write-out.ts';
import { agentPath, openControlPlane } from './control-plane.ts';

export async function showAgent(io: Io, id: string, asJson: boolean): Promise<void> {
  const client = openControlPlane(io);
  const agent = await answerJson(await client.send('GET', agentPath(id)), agentDetail);
  const events = await statusEvents(client, id);
  const json = { ...agent, ...(events && { status_events: events }) };
  await writeText(io, asJson ? `${JSON.stringify(json, null, 2)}\n` : textOf(agent, events));
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
  if (events)
    parts.push(
      table([
        ['EVENT', 'AT', 'BY', 'REASON'],
        ...events.map(({ event, at, actor, reason }) => [event, at, actor.subject ?? '-', reason ?? '-']),
      ]),
    );
  return parts.join('\n');
}
