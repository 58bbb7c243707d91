import { z } from '@hono/zod-openapi';
import type { SentEvent } from '../../../domain/control-plane/gateway/events.ts';
import type { SentBinding, SentMembership } from '../../../domain/control-plane/gateway/evidence.ts';
import type { SentExchange } from '../../../domain/control-plane/gateway/exchanges.ts';
import type { SentState } from '../../../domain/control-plane/gateway/states.ts';
import { projectUuid } from '../project-uuid.ts';
import {
  agentId,
  blobs,
  body,
  bodyMember,
  detail,
  did,
  exchangeMembers,
  namesOneExchange,
  oneExchange,
  printable,
  projectUrn,
  sourceId,
  time,
  timeOf,
} from './members.ts';

export const exchangeRecord = z
  .strictObject({
    source_id: sourceId,
    agent_id: agentId,
    project_urn: projectUrn.nullish(),
    candidate_project_urn: projectUrn.nullish().describe('A guess, which grants nothing'),
    occurred_at: time,
    duration_ms: z.number().min(0).max(Number.MAX_SAFE_INTEGER).nullish(),
    outcome: z.enum(['ok', 'error', 'denied']),
    model: printable(200).nullish(),
    correlation_id: printable(200).nullish().describe('For tracing only; it joins nothing'),
    request_body: body.nullish(),
    response_body: body.nullish(),
  })
  .openapi('GatewayExchange');

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

export const eventRecord = z
  .strictObject({
    source_id: sourceId,
    agent_id: agentId,
    ...exchangeMembers,
    kind: printable(100),
    occurred_at: time,
    detail,
  })
  .refine(namesOneExchange, oneExchange)
  .openapi('GatewayPluginEvent');

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

export const stateRecord = z
  .strictObject({
    source_id: sourceId,
    agent_id: agentId,
    ...exchangeMembers,
    occurred_at: time,
    attestation: body,
    blobs: blobs.nullish(),
  })
  .refine(namesOneExchange, oneExchange)
  .openapi('GatewayState');

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

export const membershipRecord = z
  .strictObject({
    source_id: sourceId,
    project_uuid: projectUuid,
    agent_id: agentId,
    subject_did: did,
    valid_from: time,
    valid_until: time.nullish(),
    credential_id: printable(500).nullish(),
    status: printable(100).nullish(),
  })
  .openapi('GatewayMembership');

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

export const bindingRecord = z
  .strictObject({
    source_id: sourceId,
    project_uuid: projectUuid,
    kind: z.enum(['console', 'operator']),
    console_project_id: printable(200).nullish().describe('Required for console, and only for it'),
  })
  .refine(
    ({ kind, console_project_id: id }) => (kind === 'console') === ((id ?? null) !== null),
    'must have a console_project_id exactly if its kind is console',
  )
  .openapi('GatewayProjectBinding');

export function sentBinding(record: z.output<typeof bindingRecord>): SentBinding {
  return {
    sourceId: record.source_id,
    projectUuid: record.project_uuid,
    kind: record.kind,
    consoleProjectId: record.console_project_id ?? null,
  };
}
