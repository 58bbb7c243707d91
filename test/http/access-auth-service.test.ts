import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Permission, permissions } from '../../src/domain/access/grants.ts';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { type AuthFailure, startAuthService } from '../access/auth-service.ts';
import { examples } from './access-examples.ts';
import { json, newWorld, type Send, sendAs, type World } from './access-world.ts';
import { useService } from './service.ts';
import { newServiceStore } from './service-store.ts';

const namespace = 'https://cairn.example';
const authority = await startAuthService();
const service = useService({
  CAIRN_AUTH_MODE: 'auth_service',
  CAIRN_AUTH_SERVICE_BASE_URL: authority.url,
  CAIRN_CLAIM_NAMESPACE: namespace,
  CAIRN_TOKEN_FAILURE_RATE: '100000/1m',
});
let world: World;

const claimed = (granted: unknown, more = {}) => ({
  claims: { [`${namespace}/permissions`]: granted, ...more },
});

/** A new opaque token for which the auth service answers with these claims. */
function newToken(answer: Readonly<Record<string, unknown>> = {}): string {
  const token = randomUUID();
  authority.know(token, { sub: 'ada', ...answer });
  return token;
}

/** A token without permissions in its claims, so that the auth service must be asked. */
function askedToken(...grants: [Permission, string, ('project' | 'organization')?][]): string {
  const organizations = Object.fromEntries(
    grants.filter(([, , type]) => type === 'organization').map(([, id]) => [id, []]),
  );
  const token = newToken({ claims: { [`${namespace}/organizations`]: organizations } });
  authority.allow(
    token,
    ...grants.map(([permission, id, type = 'project']) => ({ permission, resource: { type, id } })),
  );
  return token;
}

beforeAll(async () => {
  world = await newWorld(service, newToken(claimed({ '*': permissions })));
});
afterAll(async () => await authority[Symbol.asyncDispose]());
beforeEach(() => authority.fail(undefined));

const get = async (token: string, path: string) => await sendAs(service, token, { method: 'GET', path });
const list = async (token: string) => await get(token, '/graph/v1?limit=1000');

describe('a caller whom the auth service accepts', () => {
  test('has the permissions in the claims, without further requests', async () => {
    const token = newToken(claimed({ [world.alpha.id]: ['view_project_data'] }));
    const { graphs } = (await list(token)).json;
    expect(graphs.map(({ graph_id }: { graph_id: string }) => graph_id)).toEqual([world.alpha.id]);
    expect((await get(token, `/manifest/v1?graph_ids=${world.beta.id}`)).status).toBe(403);
    expect([authority.calls('validate', token), authority.calls('authorize', token)]).toEqual([1, 0]);
  });

  test('is refused if it rejects the token', async () => {
    const token = randomUUID();
    for (let n = 0; n < 3; n += 1) {
      const answer = await list(token);
      expect([answer.status, answer.json.code]).toEqual([401, 'unauthorized']);
    }
    expect(authority.calls('validate', token)).toBe(1);
  });

  test('has no permissions by claims of the wrong type, without further requests', async () => {
    for (const value of ['view_project_data', [], null, 7]) {
      const token = newToken(claimed(value));
      expect((await get(token, `/store/v1/blob/${world.alpha.blob}`)).status).toBe(403);
      expect(authority.calls('authorize', token)).toBe(0);
    }
  });
});

describe('without permissions in the claims', () => {
  test('the auth service decides about each project, and lists contain what it allows', async () => {
    const token = askedToken(['view_project_data', world.alpha.id]);
    const { graphs } = (await list(token)).json;
    expect(graphs.map(({ graph_id }: { graph_id: string }) => graph_id)).toEqual([world.alpha.id]);
    const asked = authority.calls('authorize', token);
    await list(token);
    expect(authority.calls('authorize', token)).toBe(asked);
    expect((await get(token, `/manifest/v1?graph_ids=${world.alpha.id}`)).status).toBe(200);
    expect((await get(token, `/manifest/v1?graph_ids=${world.beta.id}`)).status).toBe(403);
    expect((await get(token, `/graph/v1/${world.beta.id}`)).status).toBe(404);
    expect((await get(token, `/store/v1/blob/${world.beta.blob}`)).status).toBe(200);
  });

  test.each(['graph/v1/', 'manifest/v1?graph_ids='])(
    'a foreign graph looks like a missing one, also during an outage: %s',
    async (path) => {
      const asked = async (id: string) => {
        const token = askedToken(['view_project_data', world.alpha.id]);
        const there = await get(token, `/${path}${id}`);
        const calls = authority.calls('authorize', token);
        authority.fail('status-500', 'authorize');
        const away = await get(askedToken(), `/${path}${id}`);
        authority.fail(undefined);
        return [there.status, away.status, calls];
      };
      expect(await asked(world.beta.id)).toEqual(await asked(randomUUID()));
    },
  );

  test('a caller without any permission is refused and sees nothing', async () => {
    const token = askedToken();
    expect((await get(token, `/store/v1/blob/${world.alpha.blob}`)).status).toBe(403);
    expect((await list(token)).json.graphs).toEqual([]);
    expect((await get(token, '/utils/v1/json-ld/static-contexts')).status).toBe(200);
  });

  const putGraph = (more: object = {}): Send => ({
    method: 'PUT',
    path: '/graph/v1',
    ...json({ graph_id: randomUUID(), name: 'new', ...more }),
  });

  test('creating a project needs a permission in an organisation, and joining it a permission in the project', async () => {
    const founder = askedToken(['create_projects', 'guild', 'organization']);
    expect((await sendAs(service, founder, putGraph())).status).toBe(201);
    // The claims need not name the organisation.
    const unnamed = newToken();
    authority.allow(unnamed, { permission: 'create_projects', resource: { type: 'project', id: '*' } });
    expect((await sendAs(service, unnamed, putGraph())).status).toBe(201);
    const project_id = randomUUID();
    const writer = askedToken(['create_declarations', project_id]);
    expect((await sendAs(service, writer, putGraph())).status).toBe(403);
    expect((await sendAs(service, writer, putGraph({ project_id: randomUUID() }))).status).toBe(403);
    expect((await sendAs(service, writer, putGraph({ project_id }))).status).toBe(201);
    expect((await sendAs(service, writer, putGraph({ parent_id: world.alpha.id }))).status).toBe(403);
  });

  test('a platform administrator may only change the configuration', async () => {
    const token = newToken({ claims: { [`${namespace}/has_admin_access`]: true } });
    const sent = {
      method: 'PUT',
      path: '/dynamic-config/v1',
      ...json({ blob_store_write_concurrency_limit: 32 }),
    };
    expect((await sendAs(service, token, sent)).status).toBe(200);
    expect((await get(token, `/store/v1/blob/${world.alpha.blob}`)).status).toBe(403);
    expect((await sendAs(service, askedToken(), sent)).status).toBe(403);
  });

  test('it is not asked about projects that do not exist yet', async () => {
    const id = randomUUID();
    const token = askedToken(['create_comments', id]);
    const put = {
      method: 'PUT',
      path: '/store/v1/blob',
      body: 'x',
      headers: { 'content-type': 'application/octet-stream' },
    };
    expect((await sendAs(service, token, put)).status).toBe(403);
    const founder = newToken(claimed({ '*': ['create_projects'] }));
    expect((await sendAs(service, founder, putGraph({ graph_id: id }))).status).toBe(201);
    expect((await sendAs(service, token, put)).status).toBe(200);
  });
});

describe.each<AuthFailure>(['status-500', 'malformed', 'reset'])(
  'while the auth service fails (%s)',
  (problem) => {
    const rows = Object.entries(examples);

    test.each(rows)('%s is 503 for every caller, and works again after the outage', async (name, example) => {
      const [method = ''] = name.split(' ');
      const everything = claimed({ [world.alpha.id]: permissions });
      const maker = newToken(everything);
      const sent = { method, ...(await example.request(world, (send) => sendAs(service, maker, send))) };
      const token = newToken(everything);
      authority.fail(problem);
      for (let n = 0; n < 2; n += 1) {
        const answer = await sendAs(service, token, sent);
        expect([answer.status, answer.json.code]).toEqual([503, 'unavailable']);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await sendAs(service, undefined, { method: 'GET', path: '/health/v1' })).status).toBe(200);
      authority.fail(undefined);
      const answer = await sendAs(service, token, sent);
      expect(answer.status, answer.text).toBeLessThan(300);
    });

    test('a permission that cannot be checked is 503, in lists too, and never granted', async () => {
      const token = askedToken(
        ['view_project_data', world.alpha.id],
        ['create_declarations', world.alpha.id],
      );
      authority.fail(problem, 'authorize');
      for (const path of [
        '/graph/v1',
        `/store/v1/blob/${world.alpha.blob}`,
        '/statements/v1',
        '/manifest/v1',
      ])
        expect((await get(token, path)).status).toBe(503);
      const sent = {
        method: 'PUT',
        path: '/graph/v1',
        ...json({ graph_id: randomUUID(), name: 'a child', parent_id: world.alpha.id }),
      };
      expect((await sendAs(service, token, sent)).status).toBe(503);
      authority.fail(undefined);
      expect((await get(token, `/store/v1/blob/${world.alpha.blob}`)).status).toBe(200);
      expect((await sendAs(service, token, sent)).status).toBe(201);
    });
  },
);

test('concurrent requests share one question', async () => {
  const token = newToken(claimed({ '*': ['view_project_data'] }));
  const answers = await Promise.all(Array.from({ length: 20 }, () => list(token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(authority.calls('validate', token)).toBe(1);
});

test('a caller who disconnects does not fail the others who wait', async () => {
  const token = newToken(claimed({ '*': ['view_project_data'] }));
  authority.fail('hang', 'validate');
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const gone = service.app.request('/graph/v1', { headers, signal: leaving.signal });
  const waiting = list(token);
  await expect.poll(() => authority.calls('validate', token)).toBe(1);
  leaving.abort();
  authority.fail(undefined);
  expect((await waiting).status).toBe(200);
  await gone;
  expect(authority.calls('validate', token)).toBe(1);
});

test('the integrity service does not start with another address, because its callers would be others', async () => {
  await using kept = await newServiceStore();
  const open = async (url: string, more = {}) => {
    const settings = readSettings({
      ...kept.environment,
      CAIRN_AUTH_MODE: 'auth_service',
      CAIRN_AUTH_SERVICE_BASE_URL: url,
      ...more,
    });
    await using _ = await openIntegrity(settings, pino({ level: 'silent' }));
  };
  await open(authority.url);
  const elsewhere = authority.url.replace('127.0.0.1', 'localhost');
  await expect(open(elsewhere)).rejects.toMatchObject({ code: 'conflict' });
  await open(elsewhere, { CAIRN_AUTH_SERVICE_ISSUER: authority.url });
});
