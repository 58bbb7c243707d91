import { randomUUID } from 'node:crypto';
import { agentKeys, agents } from '../../../../src/domain/control-plane/agents/agents.ts';
import {
  projectBindings,
  projectMemberships,
} from '../../../../src/domain/control-plane/gateway/project-records.ts';
import {
  type AuditExchange,
  auditExchanges,
  pluginEvents,
  stateRecords,
} from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import { SealedPack } from '../../../../src/domain/control-plane/gateway/sealed-contents.ts';
import { cidOf, codecs } from '../../../../src/domain/integrity/identifiers/cid.ts';
import type { Store } from '../../../../src/storage/open.ts';
import {
  agent,
  agentKey,
  exchange,
  membership,
  pluginEvent,
  stateRecord,
  urnOf,
} from '../../../builders/runtime-records.ts';

type SeedStore = Pick<Store, 'of' | 'sealedContents'>;

/** A DID whose text is percent-encoded itself. */
export const subjectDid = 'did:web:agents.example%3A8443:one';
export const noon = Date.UTC(2026, 0, 31, 12);

export interface Seeded {
  readonly project: string;
  readonly agentId: string;
  readonly exchange: AuditExchange;
  readonly stateCid: string;
  readonly childCid: string;
  /** The paths of the project's reads, by operation. */
  readonly paths: Readonly<Record<string, string>>;
}

const base = '/v1/projects/{project_uuid}/agents/{agent_id}';
export const runtimeReads = [
  'audit-exchanges',
  'audit-exchanges/timeseries',
  'audit-exchanges/{exchange_key}',
  'audit-exchanges/{exchange_key}/request-body',
  'audit-exchanges/{exchange_key}/response-body',
  'plugin-events',
  'state-cids',
  'state-cids/{state_cid}/blob',
  'state-cids/{state_cid}/blobs/{cid}',
].map((read) => `GET ${base}/${read}`);
export const projectReads = ['GET /v1/projects/{project_uuid}/agents', `GET ${base}`, ...runtimeReads];

/** The path of each read. */
export function pathsOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const filled = (operation: string) =>
    operation
      .replace('GET ', '')
      .replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? 'nothing'));
  return Object.fromEntries(projectReads.map((operation) => [operation, filled(operation)]));
}

export interface Body {
  readonly text: string;
  readonly contentType: string;
}

/** Stores bytes as the gateway does. */
export async function sealed(store: SeedStore, bodies: readonly Body[]) {
  const pack = new SealedPack();
  const parts = bodies.map(({ text, contentType }) => ({
    ...pack.add(Buffer.from(text), cidOf(codecs.raw, text)),
    contentType,
  }));
  const name = await pack.store(store.sealedContents, randomUUID());
  return parts.map((part) => ({ ...part, name }));
}

/** A project with an agent that has one record of each kind. */
export async function seed(
  store: SeedStore,
  binding: 'console' | 'operator' | null = null,
  { request, response }: { request?: Body; response?: Body } = {},
): Promise<Seeded> {
  const [project, agentId] = [randomUUID(), `agent-${randomUUID()}`];
  if (binding !== null) {
    const consoleProjectId = binding === 'console' ? `console-${project}` : null;
    const more = { sourceId: randomUUID(), digest: 'digest', receivedAt: noon, position: 0 };
    await store
      .of(projectBindings)
      .insert([{ projectUuid: project, kind: binding, consoleProjectId, ...more }]);
  }
  await store.of(agents).insert([agent(agentId, { did: 'did:key:of-another-project' })]);
  await store
    .of(agentKeys)
    .insert([agentKey(agentId, subjectDid, 1), agentKey(agentId, 'did:key:of-another-project', 2)]);
  await store.of(projectMemberships).insert([membership(project, agentId, subjectDid)]);
  const json = { contentType: 'application/json' };
  const [requestBody, responseBody, attestation, child] = await sealed(store, [
    request ?? { text: '{"question":"why"}', ...json },
    response ?? { text: '{"answer":42}', ...json },
    { text: `{"state":"${project}"}`, ...json },
    { text: `memory of ${project}`, ...json },
  ]);
  if (!requestBody || !responseBody || !attestation || !child) throw new Error('The bodies were not stored.');
  const one = exchange({ agentId, projectUrn: urnOf(project), occurredAt: noon, requestBody, responseBody });
  await store.of(auditExchanges).insert([one]);
  await store.of(pluginEvents).insert([pluginEvent(one)]);
  const { contentType: _, ...blob } = child;
  const more = { attestation, children: [child.cid], blobs: [blob] };
  await store.of(stateRecords).insert([stateRecord(one, attestation.cid, more)]);
  return {
    project,
    agentId,
    exchange: one,
    stateCid: attestation.cid,
    childCid: child.cid,
    paths: pathsOf({
      project_uuid: project,
      agent_id: agentId,
      exchange_key: one.exchangeKey,
      state_cid: attestation.cid,
      cid: child.cid,
    }),
  };
}
