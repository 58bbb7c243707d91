import { randomUUID } from 'node:crypto';
import type { AuditExchange, StateRecord } from '../../src/domain/control-plane/gateway/runtime-records.ts';
import type { PackedPart } from '../../src/domain/control-plane/gateway/sealed-contents.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { OrderedIds } from '../../src/platform/ordered-ids.ts';

/** A UUID of version 7 with this time. */
export function uuidV7(time: number): string {
  return new OrderedIds().next(time);
}

const stray = '00000000-0001-7001-8000-000000000000';

/** The name of a pack of this time. */
export function packNamed(time: number): string {
  const id = time === 1 ? stray : uuidV7(time);
  return `${id}.${cidOf(codecs.raw, 'stray').text}`;
}

export function newState(
  pack: string,
  { attestation, child }: { readonly attestation: PackedPart; readonly child: PackedPart },
): StateRecord {
  return {
    id: uuidV7(Date.now()),
    sourceId: randomUUID(),
    stateCid: attestation.cid,
    agentId: 'agent-1',
    exchangeKey: null,
    exchangeSourceId: 'unknown',
    projectUrn: null,
    occurredAt: 1,
    attestation: { ...attestation, name: pack, contentType: 'application/json' },
    children: [child.cid],
    blobs: [{ ...child, name: pack }],
    pack,
    digest: 'digest',
    receivedAt: 2,
    isLogged: false,
  };
}

export function newExchange(members: Partial<AuditExchange> = {}): AuditExchange {
  return {
    exchangeKey: uuidV7(Date.now()),
    sourceId: randomUUID(),
    agentId: 'agent-1',
    projectUrn: null,
    candidateProjectUrn: null,
    occurredAt: 1,
    durationMs: null,
    outcome: 'ok',
    model: null,
    inputTokens: null,
    outputTokens: null,
    correlationId: null,
    requestBody: null,
    responseBody: null,
    pack: null,
    digest: 'digest',
    receivedAt: 2,
    isLogged: false,
    ...members,
  };
}
