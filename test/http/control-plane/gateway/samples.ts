import { randomUUID } from 'node:crypto';
import { cidOf, codecs } from '../../../../src/domain/integrity/identifiers/cid.ts';

type Members = Readonly<Record<string, unknown>>;

export const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
export const project = 'urn:uuid:0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
export const body = (text: string, type = 'application/json') => ({
  content_type: type,
  base64: base64(text),
});

/** The CID of a text, and the text as base64. */
export function blob(text: string): readonly [cid: string, base64: string] {
  return [cidOf(codecs.raw, text).text, base64(text)];
}

export function exchange(agentId: string, members: Members = {}) {
  const occurred_at = '2026-02-01T12:00:00.250Z';
  return { source_id: randomUUID(), agent_id: agentId, occurred_at, outcome: 'ok', ...members };
}

export function event(agentId: string, members: Members = {}) {
  const times = { occurred_at: '2026-02-01T12:00:01Z', kind: 'tool-call', detail: { tool: 'search' } };
  const named = 'exchange_key' in members ? {} : { exchange_source_id: 'unknown' };
  return { source_id: randomUUID(), agent_id: agentId, ...times, ...named, ...members };
}

export function state(agentId: string, members: Members = {}) {
  const { kind: _, detail: __, ...rest } = event(agentId, members);
  return { attestation: body('{"state": "running"}'), ...rest, ...members };
}

export function membership(agentId: string, members: Members = {}) {
  return {
    source_id: randomUUID(),
    project_uuid: project.slice('urn:uuid:'.length),
    agent_id: agentId,
    subject_did: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    valid_from: '2026-01-01T00:00:00Z',
    ...members,
  };
}

export function binding(members: Members = {}) {
  return { source_id: randomUUID(), project_uuid: randomUUID(), kind: 'operator', ...members };
}
