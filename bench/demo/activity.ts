import { createHash } from 'node:crypto';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { DemoAgent } from './agents.ts';
import { project } from './graphs.ts';
import type { Content } from './sources.ts';

type GatewayRecord = Readonly<Record<string, unknown>> & { readonly source_id: string };

/** Records of the gateway, by the name of their route. */
export type Activity = Readonly<Record<string, readonly GatewayRecord[]>>;

const days = 7;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const perHour = 4;
const models = ['small-2', 'large-4', 'large-4'];
const tools = ['read_file', 'run_tests', 'search'];

/** What agents did in the week before this day. It is the same in each run of a day. */
export function activityOf(agents: readonly DemoAgent[], outputs: readonly Content[], now: number): Activity {
  const until = now - (now % dayMs);
  const found = agents.map((agent) => activityOfAgent(agent, outputs, until));
  const all = (name: keyof ReturnType<typeof activityOfAgent>) => found.flatMap((one) => one[name]);
  const binding = { source_id: 'demo/project', project_uuid: project.graph_id, kind: 'operator' };
  return {
    'project-bindings': [binding],
    memberships: all('memberships'),
    'audit-exchanges': all('exchanges'),
    'plugin-events': all('events'),
    'state-records': all('states'),
  };
}

function activityOfAgent(agent: DemoAgent, outputs: readonly Content[], until: number) {
  const exchanges: GatewayRecord[] = [];
  const events: GatewayRecord[] = [];
  const states: GatewayRecord[] = [];
  const membership = {
    source_id: `demo/${agent.handle}`,
    project_uuid: project.graph_id,
    agent_id: agent.id,
    subject_did: agent.did,
    valid_from: '2026-01-01T00:00:00Z',
    status: 'valid',
  };
  for (let at = until - days * dayMs; at < until; at += hourMs) {
    const count = workload(agent.handle, at);
    for (let number = 0; number < count; number += 1) {
      const time = at + Math.floor((number * hourMs) / count);
      const exchange = exchangeAt(agent, time);
      exchanges.push(exchange);
      const source = { agent_id: agent.id, exchange_source_id: exchange.source_id };
      const chance = chanceOf(agent.handle, time, 'beside');
      const occurred_at = isoTime(time + 400);
      if (chance < 0.4) {
        const detail = { tool: tools[Math.floor(chance * 10) % tools.length] };
        events.push({
          ...source,
          source_id: `${exchange.source_id}/tool`,
          kind: 'tool_call',
          occurred_at,
          detail,
        });
      }
      const output = outputs[Math.floor(chance * outputs.length)];
      if (chance < 0.1 && output) {
        const state = { agent: agent.id, step: number, files: [output.cid.text] };
        const attestation = bodyOf(state);
        const { text } = cidOf(codecs.raw, Buffer.from(attestation.base64, 'base64'));
        const blobs = { [output.cid.text]: output.bytes.toString('base64') };
        const source_id = `${exchange.source_id}/${text.slice(-12)}`;
        states.push({ ...source, source_id, occurred_at, attestation, blobs });
      }
    }
  }
  return { memberships: [membership], exchanges, events, states };
}

/** Exchanges in an hour: most of them by day, and few at the weekend. */
function workload(handle: string, at: number): number {
  const hour = new Date(at).getUTCHours();
  const isWeekend = [0, 6].includes(new Date(at).getUTCDay());
  const share = (hour >= 7 && hour < 19 ? 1 : 0.15) * (isWeekend ? 0.2 : 1);
  return Math.floor(chanceOf(handle, at, 'load') * share * 2 * perHour);
}

function exchangeAt({ id, handle }: DemoAgent, time: number): GatewayRecord {
  const chance = chanceOf(handle, time, 'outcome');
  const outcome = chance > 0.96 ? 'denied' : chance > 0.9 ? 'error' : 'ok';
  const model = models[Math.floor(chance * 50) % models.length];
  return {
    source_id: `demo/${handle}/${time}`,
    agent_id: id,
    project_urn: `urn:uuid:${project.graph_id}`,
    occurred_at: isoTime(time),
    duration_ms: Math.round(300 + 2_500 * chanceOf(handle, time, 'duration') ** 4),
    outcome,
    model,
    request_body: bodyOf({
      model,
      messages: [{ role: 'user', content: 'Which files does this change touch?' }],
    }),
    ...(outcome === 'ok' && {
      response_body: bodyOf({
        model,
        content: 'It touches one file, and its test.',
        stop_reason: 'end_turn',
      }),
    }),
  };
}

function bodyOf(value: object) {
  return { content_type: 'application/json', base64: Buffer.from(JSON.stringify(value)).toString('base64') };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** A number from 0 to 1 that looks random, and is always the same for these. */
function chanceOf(...of: (string | number)[]): number {
  return createHash('sha256').update(of.join(' ')).digest().readUInt32BE() / 2 ** 32;
}
