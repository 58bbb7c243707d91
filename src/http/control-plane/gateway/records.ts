import type { z } from 'zod';
import type {
  bindingRecord,
  eventRecord,
  exchangeRecord,
  GatewayBody,
  membershipRecord,
  stateRecord,
} from '../../../contract/control-plane/gateway.ts';
import type { SentEvent } from '../../../domain/control-plane/gateway/events.ts';
import type { SentBinding, SentMembership } from '../../../domain/control-plane/gateway/evidence.ts';
import type { SentExchange } from '../../../domain/control-plane/gateway/exchanges.ts';
import type { SentBody } from '../../../domain/control-plane/gateway/sent-bytes.ts';
import type { SentState } from '../../../domain/control-plane/gateway/states.ts';
import { parseUtcTime } from '../../../domain/integrity/identifiers/timestamp.ts';

/** @param text that the schema has accepted. */
function timeOf(text: string): number {
  return parseUtcTime(text) ?? Number.NaN;
}

function bodyMember(given: GatewayBody): SentBody {
  return { contentType: given.content_type, base64: given.base64 };
}

export function sentExchange(record: z.output<typeof exchangeRecord>): SentExchange {
  return {
    sourceId: record.source_id,
    agentId: record.agent_id,
    projectUrn: record.project_urn?.toLowerCase() ?? null,
    candidateProjectUrn: record.candidate_project_urn?.toLowerCase() ?? null,
    occurredAt: timeOf(record.occurred_at),
    durationMs: record.duration_ms ?? null,
    outcome: record.outcome,
    model: record.model ?? null,
    correlationId: record.correlation_id ?? null,
    requestBody: record.request_body ? bodyMember(record.request_body) : null,
    responseBody: record.response_body ? bodyMember(record.response_body) : null,
  };
}

export function sentEvent(record: z.output<typeof eventRecord>): SentEvent {
  return {
    sourceId: record.source_id,
    agentId: record.agent_id,
    exchangeKey: record.exchange_key ?? null,
    exchangeSourceId: record.exchange_source_id ?? null,
    kind: record.kind,
    occurredAt: timeOf(record.occurred_at),
    detail: record.detail ?? {},
  };
}

export function sentState(record: z.output<typeof stateRecord>): SentState {
  return {
    sourceId: record.source_id,
    agentId: record.agent_id,
    exchangeKey: record.exchange_key ?? null,
    exchangeSourceId: record.exchange_source_id ?? null,
    occurredAt: timeOf(record.occurred_at),
    attestation: bodyMember(record.attestation),
    blobs: record.blobs ?? {},
  };
}

export function sentMembership(record: z.output<typeof membershipRecord>): SentMembership {
  return {
    sourceId: record.source_id,
    projectUuid: record.project_uuid,
    agentId: record.agent_id,
    subjectDid: record.subject_did,
    validFrom: timeOf(record.valid_from),
    validUntil: record.valid_until ? timeOf(record.valid_until) : null,
    credentialId: record.credential_id ?? null,
    status: record.status ?? null,
  };
}

export function sentBinding(record: z.output<typeof bindingRecord>): SentBinding {
  return {
    sourceId: record.source_id,
    projectUuid: record.project_uuid,
    kind: record.kind,
    consoleProjectId: record.console_project_id ?? null,
  };
}
