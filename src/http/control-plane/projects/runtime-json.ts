import type { z } from 'zod';
import type { exchange, pluginEvent, state } from '../../../contract/control-plane/runtime-records.ts';
import type {
  AuditExchange,
  PluginEvent,
  SealedBody,
  StateRecord,
} from '../../../domain/control-plane/gateway/runtime-records.ts';
import type { InProject, Visible } from '../../../domain/control-plane/projects/runtime-scope.ts';
import type { JsonPieces } from '../../answering.ts';
import { isoTime } from './project-calls.ts';

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
