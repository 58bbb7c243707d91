import { beforeAll, describe, expect, test } from 'vitest';
import { auditRecords } from '../../../../src/domain/audit-log/audit-log.ts';
import { agentBindings } from '../../../../src/domain/control-plane/agents/agents.ts';
import { usersOf } from '../../../contract/nouns.ts';
import { type Browser, bearer, usePlane, variables } from '../plane.ts';
import { mint, newAgentKey, register } from './registering.ts';

const plane = usePlane();
let admin: Browser;

beforeAll(async () => {
  admin = plane.main.browser();
  await admin.signIn('root');
  const user = await usersOf(plane.store).bySubject(plane.provider.issuer, 'root');
  await usersOf(plane.store).change(user?.id ?? '', { role: 'admin' }, Date.now());
});

const tokenOf = async (sub: string) => bearer(await plane.provider.idToken({ claims: { sub } }));
const asAdmin = (method: string, path: string, body?: unknown) =>
  plane.main.send(method, path, admin.headers(method), body);
const asMember = async (sub: string, path: string) => await plane.main.send('GET', path, await tokenOf(sub));

/** Registers an agent of a subject. */
async function newAgent(sub: string, more: object = {}): Promise<{ agent_id: string; did: string }> {
  const idToken = await plane.provider.idToken({ claims: { sub } });
  const { registration_token } = await mint(plane.main, idToken, more);
  return (await register(plane.main, registration_token, newAgentKey())).json;
}

const idsOf = (json: { agents: { agent_id: string }[] }) => json.agents.map(({ agent_id }) => agent_id);

describe('the list of agents', () => {
  test('has all for administrators, and for members those with an active binding to them', async () => {
    const [one, two] = [await newAgent('list-1'), await newAgent('list-2')];
    const { json } = await asAdmin('GET', '/v1/agents?limit=1000');
    const all = idsOf(json);
    for (const { agent_id, ...agent } of json.agents)
      expect(agent).toMatchObject({
        bindings: [{ id: `${agent_id}:1`, subject: agent.subject, state: 'active', ended_at: null }],
      });
    expect(all).toEqual(expect.arrayContaining([one.agent_id, two.agent_id]));
    expect(idsOf((await asMember('list-1', '/v1/agents')).json)).toEqual([one.agent_id]);
    expect((await asMember('list-nobody', '/v1/agents')).json).toEqual({ agents: [] });

    const bindings = plane.store.of(agentBindings);
    const { issuer } = plane.provider;
    const shared = { state: 'active', createdAt: Date.now(), endedAt: null } as const;
    await bindings.insert([
      { id: 'shared', agentId: two.agent_id, issuer, subject: 'list-1', ...shared },
      { id: 'foreign', agentId: two.agent_id, issuer: 'https://other.example', subject: 'list-3', ...shared },
    ]);
    expect(idsOf((await asMember('list-1', '/v1/agents')).json)).toEqual([one.agent_id, two.agent_id]);
    const ofMember = (await asMember('list-1', '/v1/agents')).json.agents[1];
    expect(ofMember.bindings).toMatchObject([{ subject: 'list-1' }]);
    expect((await asMember('list-1', `/v1/agents/${two.agent_id}`)).json.bindings).toEqual(ofMember.bindings);
    expect((await asMember('list-3', '/v1/agents')).json.agents).toEqual([]);
    await bindings.update('shared', { state: 'active' }, { state: 'ended', endedAt: Date.now() });
    expect(idsOf((await asMember('list-1', '/v1/agents')).json)).toEqual([one.agent_id]);
    expect((await asMember('list-1', `/v1/agents/${two.agent_id}`)).status).toBe(404);
  });

  test('comes in pages', async () => {
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) made.push((await newAgent('pages')).agent_id);
    for (const read of [
      (path: string) => asMember('pages', path),
      (path: string) => asAdmin('GET', `${path}&q=pages-none`),
    ]) {
      const found: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { json } = await read(`/v1/agents?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        found.push(...idsOf(json));
        cursor = json.next_cursor;
      }
      expect([made, []]).toContainEqual(found);
    }
    const { json } = await asMember('pages', '/v1/agents?limit=2');
    const foreign = await asAdmin('GET', `/v1/agents?cursor=${encodeURIComponent(json.next_cursor)}`);
    expect(foreign).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  });

  test('is filtered by state, and by name, handle, id or DID', async () => {
    const agent = await newAgent('filters', { agent_name: 'Zürich Builder', agent_handle: 'CI-42' });
    await asAdmin('POST', `/v1/agents/${agent.agent_id}/revoke`);
    const texts = ['zürich', 'BUILDER', 'ci-4', 'build  zürich ci-', agent.agent_id, agent.did];
    for (const text of texts) {
      const path = `/v1/agents?q=${encodeURIComponent(text)}`;
      expect(idsOf((await asAdmin('GET', `${path}&state=revoked`)).json)).toEqual([agent.agent_id]);
      expect(idsOf((await asMember('filters', path)).json)).toEqual([agent.agent_id]);
      expect(idsOf((await asMember('filters', `${path}&state=active`)).json)).toEqual([]);
      expect(idsOf((await asMember('list-1', path)).json)).toEqual([]);
    }
    expect((await asAdmin('GET', '/v1/agents?state=asleep')).status).toBe(400);
  });
});

test('an agent of somebody else looks like one that does not exist', async () => {
  const { agent_id } = await newAgent('owner');
  const [foreign, missing] = [
    await asMember('stranger', `/v1/agents/${agent_id}`),
    await asMember('stranger', '/v1/agents/agent_none'),
  ];
  const same = (text: string, id: string) => text.replaceAll(id, '').replace(/"request_id":"[^"]+"/, '');
  expect(foreign.status).toBe(404);
  expect(same(foreign.text, agent_id)).toBe(same(missing.text, 'agent_none'));
  expect((await asMember('owner', `/v1/agents/${agent_id}`)).status).toBe(200);
  expect((await asAdmin('GET', `/v1/agents/${agent_id}`)).status).toBe(200);
});

describe('revoking', () => {
  test('holds at once everywhere, keeps reasons and actors, and a repeat changes nothing', async () => {
    const idToken = await plane.provider.idToken({ claims: { sub: 'revoked' } });
    const { agent_id } = await newAgent('revoked', { agent_handle: 'build' });
    const other = await plane.replica();
    const { registration_token } = await mint(other, idToken, { agent_handle: 'build' });
    const revoke = (reason: string) => asAdmin('POST', `/v1/agents/${agent_id}/revoke`, { reason });
    expect(await revoke('The key leaked.')).toMatchObject({
      status: 200,
      json: { agent_id, state: 'revoked' },
    });
    expect(await revoke('Again.')).toMatchObject({ status: 200, json: { state: 'revoked' } });

    const refused = await register(other, registration_token, newAgentKey());
    expect(refused).toMatchObject({ status: 403, json: { code: 'agent_revoked' } });
    expect((await other.send('GET', `/v1/agents/${agent_id}`, bearer(idToken))).json.state).toBe('revoked');

    expect((await asAdmin('POST', `/v1/agents/${agent_id}/restore`)).json.state).toBe('active');
    expect((await asAdmin('POST', `/v1/agents/${agent_id}/restore`, {})).json.state).toBe('active');
    const { json } = await asAdmin('GET', `/v1/agents/${agent_id}/status-events`);
    const { issuer } = plane.provider;
    expect(json).toEqual({
      status_events: [
        { event: 'restored', reason: null, actor: { issuer, subject: 'root' }, at: expect.any(String) },
        {
          event: 'revoked',
          reason: 'The key leaked.',
          actor: { issuer, subject: 'root' },
          at: expect.any(String),
        },
        { event: 'registered', reason: null, actor: { issuer, subject: 'revoked' }, at: expect.any(String) },
      ],
    });
    const page = await asAdmin('GET', `/v1/agents/${agent_id}/status-events?limit=2`);
    expect(page.json.status_events).toHaveLength(2);
    const cursor = encodeURIComponent(page.json.next_cursor);
    const rest = await asAdmin('GET', `/v1/agents/${agent_id}/status-events?limit=2&cursor=${cursor}`);
    expect(rest.json).toMatchObject({ status_events: [{ event: 'registered' }] });
  });

  test('is in the audit log with its reason', async () => {
    const { agent_id } = await newAgent('audited');
    await asAdmin('POST', `/v1/agents/${agent_id}/revoke`, { reason: 'A test' });
    const log = plane.store.of(auditRecords);
    const { records } = await log.page('byTarget', [agent_id], { after: null, limit: 1 });
    expect(records).toMatchObject([
      { action: 'POST /v1/agents/{id}/revoke', outcome: 'done', details: { reason: 'A test' } },
    ]);
  });

  test.each([
    ['a reason of 1,001 characters', { reason: 'x'.repeat(1_001) }],
    ['a reason with a control character', { reason: 'a\u001b[2J' }],
    ['a reason that is no text', { reason: 5 }],
    ['an unknown member', { because: 'x' }],
    ['a list', []],
  ])('with %s is refused', async (_, body) => {
    const { agent_id } = await newAgent('bad-reasons');
    expect((await asAdmin('POST', `/v1/agents/${agent_id}/revoke`, body)).status).toBe(400);
    expect((await asAdmin('GET', `/v1/agents/${agent_id}`)).json.state).toBe('active');
  });

  test('an unknown agent is 404 for each operation', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/status-events'],
      ['POST', '/revoke'],
      ['POST', '/restore'],
    ] as const)
      expect((await asAdmin(method, `/v1/agents/agent_none${path}`)).status).toBe(404);
  });
});

test('without authentication everybody is an administrator of agents, but cannot mint', async () => {
  const { agent_id } = await newAgent('open');
  const open = await plane.replica({
    ...variables({ ENABLED: 'false', IDP_ENABLED: 'false', BEARER_ENABLED: 'false' }),
    CAIRN_ALLOW_UNAUTHENTICATED: 'true',
  });
  const statuses: Record<string, number> = {};
  for (const [method, path] of [
    ['GET', '/v1/agents'],
    ['GET', `/v1/agents/${agent_id}`],
    ['GET', `/v1/agents/${agent_id}/status-events`],
    ['POST', `/v1/agents/${agent_id}/revoke`],
    ['POST', `/v1/agents/${agent_id}/restore`],
    ['POST', '/v1/agent-registration-tokens'],
    ['POST', '/v1/gateway/registrations'],
  ] as const)
    statuses[`${method} ${path.replace(agent_id, '{id}')}`] = (await open.send(method, path)).status;
  expect(statuses).toEqual({
    'GET /v1/agents': 200,
    'GET /v1/agents/{id}': 200,
    'GET /v1/agents/{id}/status-events': 200,
    'POST /v1/agents/{id}/revoke': 200,
    'POST /v1/agents/{id}/restore': 200,
    'POST /v1/agent-registration-tokens': 401,
    'POST /v1/gateway/registrations': 401,
  });
  const { json } = await open.send('GET', `/v1/agents/${agent_id}/status-events?limit=1`);
  expect(json.status_events[0].actor).toEqual({ issuer: 'disabled', subject: null });
});

describe('changing a binding', () => {
  const change = (id: string, body: unknown, binding = `${id}:1`) =>
    asAdmin('PATCH', `/v1/agents/${id}/bindings/${encodeURIComponent(binding)}`, body);

  test('ends it, and hands the agent over', async () => {
    const { agent_id } = await newAgent('leaver', { agent_handle: 'build' });
    await asMember('heir', '/v1/me');
    const heir = await usersOf(plane.store).bySubject(plane.provider.issuer, 'heir');
    const ended = await change(agent_id, { state: 'ended' });
    expect(ended).toMatchObject({ status: 200, json: { agent_id, bindings: [{ state: 'ended' }] } });
    expect((await asMember('leaver', `/v1/agents/${agent_id}`)).status).toBe(404);
    const handed = await change(agent_id, { user_id: heir?.id, reason: 'She left' });
    expect(handed).toMatchObject({ status: 200, json: { agent_id, subject: 'heir' } });
    expect((await asMember('heir', `/v1/agents/${agent_id}`)).json.bindings).toMatchObject([
      { id: `${agent_id}:2`, subject: 'heir', state: 'active' },
    ]);
    const { json } = await asAdmin('GET', `/v1/agents/${agent_id}/status-events`);
    expect(json.status_events[0]).toMatchObject({ event: 'handed_over', reason: 'She left' });
    const log = plane.store.of(auditRecords);
    const { records } = await log.page('byTarget', [agent_id], { after: null, limit: 1 });
    expect(records[0]).toMatchObject({
      action: 'PATCH /v1/agents/{id}/bindings/{binding_id}',
      outcome: 'done',
      details: { binding_id: `${agent_id}:1`, user_id: heir?.id, reason: 'She left' },
    });
  });

  test('needs an administrator, a CSRF token and one change', async () => {
    const { agent_id } = await newAgent('kept');
    for (const body of [{}, { state: 'active' }, { state: 'ended', user_id: crypto.randomUUID() }])
      expect((await change(agent_id, body)).status).toBe(400);
    expect((await change(agent_id, { state: 'ended' }, 'unknown')).status).toBe(404);
    expect((await change('agent_none', { state: 'ended' })).status).toBe(404);
    const path = `/v1/agents/${agent_id}/bindings/${agent_id}:1`;
    const { 'x-csrf-token': _, ...without } = admin.headers('PATCH');
    for (const headers of [without, await tokenOf('kept')])
      expect((await plane.main.send('PATCH', path, headers, { state: 'ended' })).status).toBe(403);
    expect((await asMember('kept', `/v1/agents/${agent_id}`)).status).toBe(200);
  });
});
