import { type LoggedKind, loggedKind } from '../../log/appending/logged-kind.ts';
import { recordEntry } from '../../log/entries.ts';
import { logNames } from '../../log/names.ts';
import {
  type AuditExchange,
  auditExchanges,
  type PluginEvent,
  pluginEvents,
  type SealedBody,
  type StateRecord,
  stateRecords,
} from './runtime-records.ts';

/*
 * What the entries of these records say, see docs/log.md. These forms are published, so they stay. Where bytes are kept is
 * left out, and so is what a record learns when its exchange arrives.
 */

export const loggedRuntimeRecords: readonly LoggedKind[] = [
  loggedKind(auditExchanges, { entries: (one) => [entryOf(one, exchangeForm(one))] }),
  loggedKind(pluginEvents, { entries: (one) => [entryOf(one, eventForm(one))] }),
  loggedKind(stateRecords, { entries: (one) => [entryOf(one, stateForm(one))] }),
];

function entryOf({ agentId }: Pick<AuditExchange, 'agentId'>, form: object) {
  return { log: logNames.agent(agentId), bytes: recordEntry(form) };
}

function exchangeForm(one: AuditExchange) {
  return {
    record: 'audit_exchange',
    exchange_key: one.exchangeKey,
    ...reportedForm(one),
    project_urn: one.projectUrn,
    candidate_project_urn: one.candidateProjectUrn,
    duration_ms: one.durationMs,
    outcome: one.outcome,
    model: one.model,
    input_tokens: one.inputTokens ?? null,
    output_tokens: one.outputTokens ?? null,
    correlation_id: one.correlationId,
    request_body: bodyForm(one.requestBody),
    response_body: bodyForm(one.responseBody),
  };
}

function eventForm(one: PluginEvent) {
  return { record: 'plugin_event', ...besideForm(one), kind: one.kind, detail: one.detail };
}

function stateForm(one: StateRecord) {
  return {
    record: 'state_record',
    ...besideForm(one),
    state_cid: one.stateCid,
    attestation: bodyForm(one.attestation),
    children: one.children,
    blobs: one.blobs.map(({ cid }) => cid),
  };
}

/** The exchange as its sender has named it. */
function besideForm(one: PluginEvent | StateRecord) {
  const { id, exchangeKey, exchangeSourceId } = one;
  return {
    id,
    ...reportedForm(one),
    exchange_key: exchangeSourceId === null ? exchangeKey : null,
    exchange_source_id: exchangeSourceId,
  };
}

/** Times are milliseconds since 1970. */
function reportedForm(one: Pick<AuditExchange, 'sourceId' | 'agentId' | 'occurredAt' | 'receivedAt'>) {
  const { sourceId, agentId, occurredAt, receivedAt } = one;
  return { source_id: sourceId, agent_id: agentId, occurred_at: occurredAt, received_at: receivedAt };
}

function bodyForm(body: SealedBody | null) {
  return body && { cid: body.cid, content_type: body.contentType, size: body.size };
}
