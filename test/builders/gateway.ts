import type { SentEvent } from '../../src/domain/control-plane/gateway/events.ts';
import type { SentExchange } from '../../src/domain/control-plane/gateway/exchanges.ts';
import type { SentState } from '../../src/domain/control-plane/gateway/states.ts';

type Named = { readonly sourceId: string; readonly agentId: string };

const body = (text: string) => ({
  contentType: 'application/json',
  base64: Buffer.from(text).toString('base64'),
});

export function sentExchange(members: Partial<SentExchange> & Named): SentExchange {
  return {
    projectUrn: null,
    candidateProjectUrn: null,
    occurredAt: 1,
    durationMs: 10,
    outcome: 'ok',
    model: null,
    inputTokens: null,
    outputTokens: null,
    correlationId: null,
    requestBody: body(`{"of": "${members.sourceId}"}`),
    responseBody: body('{}'),
    ...members,
  };
}

export function sentEvent(members: Partial<SentEvent> & Named): SentEvent {
  return {
    exchangeKey: null,
    exchangeSourceId: null,
    kind: 'tool-call',
    occurredAt: 1,
    detail: { tool: 'search' },
    ...members,
  };
}

export function sentState(members: Partial<SentState> & Named): SentState {
  return {
    exchangeKey: null,
    exchangeSourceId: null,
    occurredAt: 1,
    attestation: body(`{"of": "${members.sourceId}"}`),
    blobs: {},
    ...members,
  };
}
