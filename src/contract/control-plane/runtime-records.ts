import { z } from 'zod';
import { parseCid } from '../../domain/integrity/identifiers/cid.ts';
import { orderedPaging, pageOf } from '../paging.ts';
import { timeRange } from '../parameters.ts';
import { uuidField, uuidText } from '../values.ts';
import { projectAgentParams } from './projects.ts';

const outcome = z.enum(['ok', 'error', 'denied']);

/** The members that every record of an agent in a project has. */
const belonging = {
  project_urn: z.string().describe('urn:uuid: and the UUID of the project'),
  agent_id: z.string().describe('The local id of the agent'),
  exchange_key: uuidText.describe('The key of the exchange, made by this service'),
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
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    correlation_id: z.string().nullable().describe('For tracing only'),
    request_body: body,
    response_body: body,
  })
  .meta({ id: 'AuditExchange' });

export const exchangeList = pageOf({ audit_exchanges: z.array(exchange) }).meta({ id: 'AuditExchangeList' });

export const pluginEvent = z
  .object({
    id: uuidText,
    ...belonging,
    kind: z.string(),
    occurred_at: occurredAt,
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'PluginEvent' });

export const pluginEventList = pageOf({ plugin_events: z.array(pluginEvent) }).meta({
  id: 'PluginEventList',
});

export const state = z
  .object({
    state_cid: z.string(),
    ...belonging,
    occurred_at: occurredAt,
    children: z.array(z.string()).describe('The CIDs that the attestation references directly'),
  })
  .meta({ id: 'AgentStateRecord' });

export const stateList = pageOf({ states: z.array(state) }).meta({ id: 'AgentStateRecordList' });

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
  .meta({ id: 'ExchangeSeries' });

export type ExchangeSeriesAnswer = z.output<typeof seriesAnswer>;

const cid = z
  .string()
  .max(300)
  .transform((text) => parseCid(text).text);

export const exchangeParams = projectAgentParams.extend({ exchange_key: uuidField });
export const stateParams = projectAgentParams.extend({ state_cid: cid });
export const childParams = stateParams.extend({ cid });

export const recordQuery = orderedPaging.extend(timeRange);

export const exchangeQuery = recordQuery.extend({
  outcome: outcome.optional(),
  model: z.string().min(1).max(500).optional(),
});

export const seriesParameters = z.object({
  interval: z.enum(['minute', 'hour', 'day']).default('hour'),
  ...timeRange,
});
