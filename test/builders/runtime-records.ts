import { randomUUID } from 'node:crypto';
import type { Agent, AgentKey } from '../../src/domain/control-plane/agents/agents.ts';
import type { ProjectMembership } from '../../src/domain/control-plane/gateway/project-records.ts';
import type {
  AuditExchange,
  PluginEvent,
  SealedPart,
  StateRecord,
} from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { newExchange } from './exchanges.ts';

const at = Date.UTC(2026, 0, 31, 12);

export const urnOf = (projectUuid: string) => `urn:uuid:${projectUuid}`;

/** What no test of reads looks at. */
const received = () => ({ sourceId: randomUUID(), digest: 'digest', receivedAt: at, isLogged: false });

export function exchange(more: Partial<AuditExchange> = {}): AuditExchange {
  return newExchange({ agentId: 'agent', occurredAt: at, durationMs: 12, model: 'small', ...more });
}

/** An event of an exchange. */
export function pluginEvent(of: AuditExchange, more: Partial<PluginEvent> = {}): PluginEvent {
  const { exchangeKey, agentId, projectUrn, occurredAt } = of;
  return {
    ...received(),
    id: randomUUID(),
    agentId,
    exchangeKey,
    exchangeSourceId: null,
    projectUrn,
    kind: 'tool_call',
    occurredAt,
    detail: '{"tool":"search"}',
    ...more,
  };
}

/** A state at an exchange. */
export function stateRecord(
  of: AuditExchange,
  stateCid: string,
  more: Partial<StateRecord> = {},
): StateRecord {
  const { exchangeKey, agentId, projectUrn, occurredAt } = of;
  return {
    ...received(),
    id: randomUUID(),
    stateCid,
    agentId,
    exchangeKey,
    exchangeSourceId: null,
    projectUrn,
    occurredAt,
    attestation: { ...sealedPart(stateCid), contentType: 'application/json' },
    children: [],
    blobs: [],
    pack: 'pack',
    ...more,
  };
}

/** Names bytes that are stored nowhere. */
export function sealedPart(cid: string): SealedPart {
  return { name: 'pack', offset: 0, size: 1, cid };
}

export function membership(
  projectUuid: string,
  agentId: string,
  subjectDid: string,
  more: Partial<ProjectMembership> = {},
): ProjectMembership {
  return {
    ...received(),
    projectUuid,
    agentId,
    subjectDid,
    validFrom: at,
    validUntil: null,
    credentialId: null,
    status: null,
    ...more,
  };
}

export function agent(id: string, more: Partial<Agent> = {}): Agent {
  const actor = { issuer: 'https://idp.example', subject: 'ada' };
  return {
    id,
    ...actor,
    handle: null,
    name: `Agent ${id}`,
    did: null,
    state: 'active',
    version: 1,
    createdAt: at,
    changedAt: at,
    lastChange: { event: 'registered', actor, reason: null },
    ...more,
  };
}

export function agentKey(agentId: string, did: string, version: number): AgentKey {
  return { id: `${agentId}#${version}`, agentId, version, did, addedAt: at, retiredAt: null };
}
