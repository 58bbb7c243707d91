import { z } from '@hono/zod-openapi';
import { nextCursor } from '../../list-pages.ts';

export const outcome = z.enum(['ok', 'error', 'denied']);
const exchangeKey = z.uuid().describe('The key of the exchange, made by this service');
const occurredAt = z.iso.datetime();
const body = z
  .object({ content_type: z.string(), size: z.int() })
  .nullable()
  .describe('Null if no body was recorded');

export const exchange = z
  .object({
    exchange_key: exchangeKey,
    agent_id: z.string(),
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
    exchange_key: exchangeKey,
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
    exchange_key: exchangeKey,
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
