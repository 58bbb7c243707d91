import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { agentRecords } from '../../src/domain/control-plane/agents/agents.ts';
import { registerAgent } from '../../src/domain/control-plane/agents/registration.ts';
import {
  mintRegistration,
  registrationTokens,
} from '../../src/domain/control-plane/agents/registration-tokens.ts';
import { gatewayScopes } from '../../src/domain/control-plane/gateway-access.ts';
import { users } from '../../src/domain/control-plane/users.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { signGatewayCredential } from '../../src/platform/agent-tokens/gateway-credential.ts';
import { type BrowserPlane, startBrowserPlane } from '../access/control-plane.ts';
import { newKey } from '../builders/keys.ts';
import { gatewaySecret } from '../http/control-plane/plane.ts';

/** A control plane with the accounts of an administrator (ada) and a member (bob). */
export async function startConsolePlane(): Promise<BrowserPlane> {
  const plane = await startBrowserPlane();
  for (const name of ['ada', 'bob'])
    plane.provider.setAccount(name, { email: `${name}@example.com`, email_verified: true, name });
  return plane;
}

/** Registers an agent. @returns its id and DID. */
export async function addAgent(
  { store, provider }: BrowserPlane,
  { name, owner = 'ada' }: { readonly name: string; readonly owner?: string },
): Promise<{ id: string; did: string }> {
  const { did } = newKey();
  const ports = {
    ...agentRecords(store),
    registrationTokens: store.of(registrationTokens),
    users: store.of(users),
    newId: randomUUID,
    now: () => new Date(),
  };
  const wanted = { issuer: provider.issuer, subject: owner, name, handle: name.toLowerCase() };
  const { jti } = await mintRegistration(ports, wanted);
  const { id } = await registerAgent(ports, jti, did);
  return { id, did };
}

type Json = Readonly<Record<string, unknown>>;

/** Reports records as a gateway does. */
async function report({ url }: BrowserPlane, route: string, records: readonly Json[]): Promise<void> {
  const credential = await signGatewayCredential(gatewaySecret, {
    name: 'test',
    scopes: gatewayScopes,
    lifetimeMs: 60_000,
    now: new Date(),
  });
  const response = await fetch(`${url}/v1/gateway/${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ records }),
  });
  expect(response.status, await response.text()).toBe(200);
}

export const project = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
export const child = cidOf(codecs.raw, 'a file that the agent has read').text;

const body = (value: unknown) => ({
  content_type: 'application/json',
  base64: Buffer.from(JSON.stringify(value)).toString('base64'),
});

/** Reports three exchanges of an agent in a project, and an event and a state at the first. */
export async function addActivity(
  plane: BrowserPlane,
  { id, did }: { id: string; did: string },
): Promise<void> {
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const own = { agent_id: id };
  await report(plane, 'project-bindings', [
    { source_id: 'binding', project_uuid: project, kind: 'operator' },
  ]);
  await report(plane, 'memberships', [
    { ...own, source_id: `member ${id}`, project_uuid: project, subject_did: did, valid_from: at(600) },
  ]);
  const exchange = (number: number, outcome: string, more: Json) => ({
    ...own,
    source_id: `${id} ${number}`,
    project_urn: `urn:uuid:${project}`,
    occurred_at: at(number * 90),
    duration_ms: 250 * number,
    outcome,
    ...more,
  });
  await report(plane, 'audit-exchanges', [
    exchange(3, 'ok', {
      model: 'large-4',
      request_body: body({ question: '<script>alert(1)</script>' }),
      response_body: body({ answer: 42 }),
    }),
    exchange(2, 'error', { model: 'small-2' }),
    exchange(1, 'denied', { model: 'small-2' }),
  ]);
  const beside = { ...own, exchange_source_id: `${id} 3`, occurred_at: at(269) };
  await report(plane, 'plugin-events', [
    { ...beside, source_id: `event ${id}`, kind: 'tool_call', detail: { tool: 'search' } },
  ]);
  await report(plane, 'state-records', [
    {
      ...beside,
      source_id: `state ${id}`,
      attestation: body({ read: [child] }),
      blobs: { [child]: Buffer.from('a file that the agent has read').toString('base64') },
    },
  ]);
}
