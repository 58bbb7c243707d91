import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissions } from '../../src/domain/access/grants.ts';
import { startProvider } from '../access/provider.ts';
import { manifest } from '../builders/manifests.ts';
import {
  dataOf,
  json,
  newWorld,
  oidcSettings,
  type Send,
  sendAs,
  tokenWith,
  type World,
} from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
const service = useService(oidcSettings(provider));
const namespace = provider.namespace;
let world: World;
let admin: string;
let ofBeta: string;

beforeAll(async () => {
  admin = await tokenWith(provider, { '*': permissions });
  world = await newWorld(service, admin);
  ofBeta = await tokenWith(provider, { [world.beta.id]: permissions });
});
afterAll(async () => await provider[Symbol.asyncDispose]());

const statement = () => dataOf(randomUUID());
const requests: Record<string, (graphId: string) => Send> = {
  'PUT /statements/v1': (graph_id) => ({
    method: 'PUT',
    path: '/statements/v1',
    ...json({ statement: statement(), generate_id: true, graph_id }),
  }),
  'PUT /statements/v1 with a statement that is none': (graph_id) => ({
    method: 'PUT',
    path: '/statements/v1',
    ...json({ statement: {}, generate_id: true, graph_id }),
  }),
  'PUT /statements/v1/batch': (graph_id) => ({
    method: 'PUT',
    path: '/statements/v1/batch',
    ...json({ statements: [statement()], generate_id: true, graph_id }),
  }),
  'PUT /statements/v1/create/did': (graph_id) => ({
    method: 'PUT',
    path: `/statements/v1/create/did/did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp?graph_id=${graph_id}`,
  }),
  'PUT /graph/v1 under a parent': (parent_id) => ({
    method: 'PUT',
    path: '/graph/v1',
    ...json({ graph_id: '00000000-0000-4000-8000-000000000001', name: 'a child', parent_id }),
  }),
  'PUT /graph/v1': (graph_id) => ({
    method: 'PUT',
    path: '/graph/v1',
    ...json({ graph_id, name: 'mine now' }),
  }),
  'POST /manifest/v1': (graph_id) => ({
    method: 'POST',
    path: `/manifest/v1?graph_id=${graph_id}`,
    ...json(manifest()),
  }),
  'POST /manifest/v1 under a parent': (parent_id) => ({
    method: 'POST',
    path: `/manifest/v1?parent_id=${parent_id}`,
    ...json(manifest()),
  }),
  'GET /manifest/v1': (id) => ({ method: 'GET', path: `/manifest/v1?graph_ids=${id}` }),
  'GET /manifest/v1 in the background': (id) => ({
    method: 'GET',
    path: `/manifest/v1?graph_ids=${id}`,
    headers: { prefer: 'respond-async' },
  }),
  'GET /graph/v1/{uuid}': (id) => ({ method: 'GET', path: `/graph/v1/${id}` }),
  'GET /statements/v1': (id) => ({ method: 'GET', path: `/statements/v1?graph_id=${id}` }),
  'GET /cid/v1/find/{cid} in a graph': (id) => ({
    method: 'GET',
    path: `/cid/v1/find/${world.beta.blob}?graph_id=${id}`,
  }),
  'GET /runs/v1 in a graph': (id) => ({ method: 'GET', path: `/runs/v1?graph_id=${id}` }),
  'GET /lineage/v1/{id} in a graph': (id) => ({
    method: 'GET',
    path: `/lineage/v1/${world.beta.blob}?graph_id=${id}`,
  }),
};

test.each(Object.keys(requests))('a foreign graph looks like a missing one: %s', async (name) => {
  const unknown = randomUUID();
  const told = async (graphId: string, token: string) => {
    const { status, text, headers } = await sendAs(service, token, requests[name]?.(graphId) as Send);
    const shown = text.replace(/"request_id":"[^"]*"/, '').replaceAll(graphId, 'THE GRAPH');
    return { status, shown, type: headers.get('content-type') };
  };
  for (const token of [ofBeta, await tokenWith(provider, { [world.beta.id]: ['create_declarations'] })]) {
    const answer = await told(world.alpha.id, token);
    expect(answer).toEqual(await told(unknown, token));
    expect([403, 404]).toContain(answer.status);
  }
});

describe('what claims grant', () => {
  const createGraph = async (token: string, more: object = {}) =>
    (
      await sendAs(service, token, {
        method: 'PUT',
        path: '/graph/v1',
        ...json({ graph_id: randomUUID(), name: 'new', ...more }),
      })
    ).status;
  const configure = async (token: string) =>
    (
      await sendAs(service, token, {
        method: 'PUT',
        path: '/dynamic-config/v1',
        ...json({ blob_store_write_concurrency_limit: 32 }),
      })
    ).status;
  const mayConfigure = async (token: string) =>
    (await sendAs(service, token, { method: 'GET', path: '/dynamic-config/v1' })).headers.get('allow');
  const read = async (token: string) =>
    (await sendAs(service, token, { method: 'GET', path: `/store/v1/blob/${world.alpha.blob}` })).status;

  test('new projects, for all projects or in an organisation', async () => {
    expect(await createGraph(await tokenWith(provider, { '*': ['create_projects'] }))).toBe(201);
    expect(await createGraph(await tokenWith(provider, { [world.alpha.id]: ['create_projects'] }))).toBe(403);
    const member = (organizations: unknown) => ({ [`${namespace}/organizations`]: organizations });
    const token = await tokenWith(provider, {}, member({ guild: ['create_projects'] }));
    expect(await createGraph(token)).toBe(201);
    expect(await read(token)).toBe(403);
    expect(await createGraph(await tokenWith(provider, {}, member({ guild: ['view_project_data'] })))).toBe(
      403,
    );
    expect(await createGraph(await tokenWith(provider, {}, member([['create_projects']])))).toBe(403);
    expect(await createGraph(await tokenWith(provider, {}, member('create_projects')))).toBe(403);
  });

  test('a root graph of a project, with create_declarations there', async () => {
    const project_id = randomUUID();
    const writer = await tokenWith(provider, { [project_id.toUpperCase()]: ['create_declarations'] });
    expect(await createGraph(writer, { project_id })).toBe(201);
    expect(await createGraph(writer, { project_id: randomUUID() })).toBe(403);
    expect(await createGraph(writer)).toBe(403);
  });

  test('registering a graph again, with create_declarations on its project', async () => {
    const writer = await tokenWith(provider, { [world.alpha.id]: ['create_declarations'] });
    expect(await createGraph(writer, { graph_id: world.alpha.id })).toBe(409);
    const founder = await tokenWith(provider, { '*': ['create_projects'] });
    expect(await createGraph(founder, { graph_id: world.alpha.id })).toBe(403);
  });

  test('the configuration, with manage_configuration or exactly true for platform administration', async () => {
    const admins = (value: unknown) => tokenWith(provider, {}, { [`${namespace}/has_admin_access`]: value });
    expect(await configure(await tokenWith(provider, { '*': ['manage_configuration'] }))).toBe(200);
    expect(await configure(await admins(true))).toBe(200);
    expect(await mayConfigure(await admins(true))).toBe('GET, HEAD, PUT');
    for (const value of ['true', 1, {}, [true], null, false])
      expect(await configure(await admins(value))).toBe(403);
    expect(await mayConfigure(await admins(false))).toBe('GET, HEAD');
    expect(await read(await admins(true))).toBe(403);
  });

  test.each([
    ['a text', 'view_project_data'],
    ['a list', ['view_project_data']],
    ['a number', 7],
    ['true', true],
    ['null', null],
    ['a text for a project', { '*': 'view_project_data' }],
    ['an object for a project', { '*': { view_project_data: true } }],
    ['null for a project', { '*': null }],
    ['numbers for permissions', { '*': [1, null, {}] }],
    ['unknown permissions', { '*': ['view_everything', 'VIEW_PROJECT_DATA', '__proto__'] }],
    ['permissions one level too deep', { '*': [['view_project_data']] }],
  ])('nothing if they are %s', async (_name, value) => {
    const answer = await sendAs(service, await tokenWith(provider, value), {
      method: 'GET',
      path: `/store/v1/blob/${world.alpha.blob}`,
    });
    expect([answer.status, answer.json.code]).toEqual([403, 'forbidden']);
  });

  test('nothing by names that every object has', async () => {
    const sly = JSON.parse('{"__proto__": ["view_project_data"], "constructor": ["create_declarations"]}');
    const token = await tokenWith(provider, sly);
    const list = await sendAs(service, token, { method: 'GET', path: '/graph/v1' });
    expect(list.json.graphs).toEqual([]);
    expect(await createGraph(token, { parent_id: world.alpha.id })).toBe(403);
    const mixed = await tokenWith(provider, { '*': ['unknown', 7, 'view_project_data'] });
    expect(await read(mixed)).toBe(200);
  });

  test('nothing under another namespace', async () => {
    const claims = { 'https://another.example/permissions': { '*': permissions } };
    expect(await read(await provider.accessToken({ claims }))).toBe(403);
  });
});

describe('two projects', () => {
  test('each see only their own lists', async () => {
    const ofAlpha = await tokenWith(provider, { [world.alpha.id]: ['view_project_data'] });
    const seen = async (token: string, path: string) =>
      (await sendAs(service, token, { method: 'GET', path })).text;
    for (const path of ['/graph/v1?limit=1000', '/statements/v1?limit=1000', '/manifest/v1']) {
      const [alpha, beta, all] = [
        await seen(ofAlpha, path),
        await seen(ofBeta, path),
        await seen(admin, path),
      ];
      const marks = ({ id, statement: { statement_id } }: World['alpha']) => [`project ${id}`, statement_id];
      const has = (text: string, project: World['alpha']) =>
        marks(project).some((mark) => text.includes(mark));
      expect([has(alpha, world.alpha), has(alpha, world.beta)]).toEqual([true, false]);
      expect([has(beta, world.alpha), has(beta, world.beta)]).toEqual([false, true]);
      expect([has(all, world.alpha), has(all, world.beta)]).toEqual([true, true]);
    }
  });

  test('an export belongs to the issuer and subject of its creator', async () => {
    const sent = {
      method: 'GET',
      path: `/manifest/v1?graph_ids=${world.beta.id}`,
      headers: { prefer: 'respond-async' },
    };
    const path = String((await sendAs(service, ofBeta, sent)).headers.get('location'));
    const other = await tokenWith(provider, { '*': permissions }, { sub: 'bob' });
    expect((await sendAs(service, other, { method: 'GET', path })).status).toBe(404);
    expect((await sendAs(service, other, { method: 'DELETE', path })).status).toBe(404);
    expect((await sendAs(service, ofBeta, { method: 'GET', path })).status).toBe(200);
    const withoutRight = await tokenWith(provider, { [world.alpha.id]: permissions });
    expect((await sendAs(service, withoutRight, { method: 'GET', path })).status).toBe(403);
  });
});
