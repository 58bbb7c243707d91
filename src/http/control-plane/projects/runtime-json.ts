import { z } from '@hono/zod-openapi';
import { nextCursor } from '../../../contract/paging.ts';
import type { AuditExchange } from '../../../domain/control-plane/gateway/audit-exchanges.ts';
import type { PluginEvent } from '../../../domain/control-plane/gateway/plugin-events.ts';
import type { SealedBody } from '../../../domain/control-plane/gateway/sealed-part.ts';
import type { StateRecord } from '../../../domain/control-plane/gateway/state-records.ts';
import type { InProject, Visible } from '../../../domain/control-plane/projects/runtime-scope.ts';
import type { JsonPieces } from '../../list-pages.ts';
import { isoTime } from './project-calls.ts';

export const outcome = z.enum(['ok', 'error', 'denied']);
/** The members that every record of an agent in a project has. */
const belonging = {
  project_urn: z.string().describe('urn:uuid: and the UUID of the project'),
  agent_id: z.string().describe('The local id of the agent'),
  exchange_key: z.uuid().describe('The key of the exchange, made by this service'),
};
const occurredAt = z.iso.datetime();
const body = z
  .object({ content_type: z.string(), size: z.int() })
  .nullable()
  .describe('Null if no body was recorded');

export const exchange = z
  .object({
    ...belonging,
    occurred_at: occurredAt,
    duration_ms: z.number().nullable(),
    outcome,
    model: z.string().nullable(),
    correlation_id: z.string().nullable().describe('For tracing only'),
    request_body: body,
    response_body: body,
  })
  .openapi('AuditExchange');

export const exchangeList = z
  .object({ audit_exchanges: z.array(exchange), next_cursor: nextCursor })
  .openapi('AuditExchangeList');

const pluginEvent = z
  .object({
    id: z.uuid(),
    ...belonging,
    kind: z.string(),
    occurred_at: occurredAt,
    detail: z.record(z.string(), z.unknown()),
  })
  .openapi('PluginEvent');

export const pluginEventList = z
  .object({ plugin_events: z.array(pluginEvent), next_cursor: nextCursor })
  .openapi('PluginEventList');

const state = z
  .object({
    state_cid: z.string(),
    ...belonging,
    occurred_at: occurredAt,
    children: z.array(z.string()).describe('The CIDs that the attestation references directly'),
  })
  .openapi('AgentStateRecord');

export const stateList = z
  .object({ states: z.array(state), next_cursor: nextCursor })
  .openapi('AgentStateRecordList');

const count = z.int();
const milliseconds = z.number().nullable();

export const seriesAnswer = z
  .object({
    buckets: z.array(
      z.object({
        start: z.iso.datetime(),
        count,
        errors: count,
        denied: count,
        p50_ms: milliseconds,
        p99_ms: milliseconds,
      }),
    ),
  })
  .openapi('ExchangeSeries');

function belongingOf({ projectUrn, agentId, exchangeKey }: Visible<Pick<PluginEvent, 'agentId'>>) {
  return { project_urn: projectUrn, agent_id: agentId, exchange_key: exchangeKey };
}

export function exchangeJson(one: InProject<AuditExchange>): z.output<typeof exchange> {
  return {
    ...belongingOf(one),
    occurred_at: isoTime(one.occurredAt),
    duration_ms: one.durationMs,
    outcome: one.outcome,
    model: one.model,
    correlation_id: one.correlationId,
    request_body: bodyJson(one.requestBody),
    response_body: bodyJson(one.responseBody),
  };
}

function bodyJson(body: SealedBody | null) {
  return body && { content_type: body.contentType, size: body.size };
}

/** The JSON of events, whose details are stored as JSON. */
export function* jsonOfEvents(
  events: Iterable<Visible<PluginEvent>>,
): Generator<JsonPieces<z.output<typeof pluginEvent>>> {
  for (const one of events) {
    const { id, kind, occurredAt, detail } = one;
    const rest: Omit<z.output<typeof pluginEvent>, 'detail'> = {
      id,
      ...belongingOf(one),
      kind,
      occurred_at: isoTime(occurredAt),
    };
    yield [`${JSON.stringify(rest).slice(0, -1)},"detail":`, detail, '}'];
  }
}

export function stateJson(one: Visible<StateRecord>): z.output<typeof state> {
  const { stateCid, occurredAt, children } = one;
  return { state_cid: stateCid, ...belongingOf(one), occurred_at: isoTime(occurredAt), children };
}
