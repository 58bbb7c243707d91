import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissions } from '../../src/domain/access/grants.ts';
import { startProvider } from '../access/provider.ts';
import { examples } from './access-examples.ts';
import { newWorld, oidcSettings, type Send, sendAs, tokenWith, type World } from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
const service = useService({ ...oidcSettings(provider), CAIRN_PUBLIC_URL: 'https://cairn.example' });
let world: World;
const tokens: Record<string, string> = {};
const hour = 3_600;
const now = () => Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  world = await newWorld(service, await tokenWith(provider, { '*': permissions }));
  const allOfAlpha = { [`${provider.namespace}/permissions`]: { [world.alpha.id]: permissions } };
  const claims = (more: object) => ({ claims: { ...allOfAlpha, ...more } });
  const good = claims({});
  Object.assign(tokens, {
    'that is over': await provider.accessToken(claims({ exp: now() - hour })),
    'that has not begun': await provider.accessToken(claims({ nbf: now() + hour })),
    'for another audience': await provider.accessToken(claims({ aud: 'https://another.example' })),
    'of another issuer': await provider.accessToken(claims({ iss: 'https://another.example' })),
    'for logging out': await provider.accessToken({ ...good, header: { typ: 'logout+jwt' } }),
    'for a registration': await provider.accessToken({ ...good, header: { typ: 'cairn-registration+jwt' } }),
    'for the gateway': await provider.accessToken({ ...good, header: { typ: 'cairn-gateway+jwt' } }),
    'that identifies somebody': await provider.idToken(good),
    'without a signature': provider.unsignedToken('access', good),
    'signed with the public key': await provider.hs256WithPublicKey('access', good),
    'of an unknown key': await provider.foreignKeyToken('access', good),
    'of a forged key': await provider.foreignKeyToken('access', good, 'known'),
    'of 100 kB': await provider.accessToken(claims({ padding: 'x'.repeat(100_000) })),
    'that is none': 'no-token',
    'that may do nothing': await tokenWith(provider, {}),
    'for another project': await tokenWith(provider, { [world.beta.id]: permissions }),
    'for the project': await tokenWith(provider, { [world.alpha.id]: permissions }),
  });
});
afterAll(async () => await provider[Symbol.asyncDispose]());

const refused = [
  'that is over',
  'that has not begun',
  'for another audience',
  'of another issuer',
  'for logging out',
  'for a registration',
  'for the gateway',
  'that identifies somebody',
  'without a signature',
  'signed with the public key',
  'of an unknown key',
  'of a forged key',
  'of 100 kB',
  'that is none',
];

/** Public routes. The API description does not include pages and itself. */
const publicNames = [
  'GET /health/v1',
  'GET /ready',
  'GET /.well-known/did.json',
  'GET /did.json',
  'GET /openapi.json',
  'GET /docs',
  'GET /',
  'GET /ui',
  'GET /ui/graph',
  'GET /ui/graph/{uuid}',
  'GET /ui/runs',
  'GET /ui/runs/compare',
  'GET /ui/search',
  'GET /ui/statement',
  'GET /ui/statement/{id}',
  'GET /ui/statements',
  'GET /ui/lineage',
  'GET /ui/log',
  'GET /ui/verify',
  'GET /ui/lineage/{id}',
  'GET /ui/files/{name}',
];

interface Described {
  readonly 'x-access': unknown;
  readonly security: object[];
  readonly responses: object;
}

async function describedOperations(): Promise<[string, Described][]> {
  const response = await service.app.request('/openapi.json');
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Described>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): [string, Described] => [
      `${method.toUpperCase()} ${path}`,
      described,
    ]),
  );
}

describe('the API description', () => {
  test('says who may call each operation, as the specification does', async () => {
    const described = await describedOperations();
    const names = [
      ...Object.keys(examples),
      ...publicNames.slice(0, publicNames.indexOf('GET /openapi.json')),
    ];
    expect(described.map(([name]) => name).toSorted()).toEqual(names.toSorted());
    for (const [name, { 'x-access': access, security, responses }] of described) {
      const isPublic = publicNames.includes(name);
      expect([name, access]).toEqual([name, isPublic ? 'public' : examples[name]?.access]);
      expect([name, security]).toEqual([name, isPublic ? [] : [{ bearer: [] }]]);
      expect('401' in responses).toBe(!isPublic);
    }
  });

  test('describes tokens', async () => {
    const response = await service.app.request('/openapi.json');
    expect(await response.json()).toMatchObject({
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    });
  });

  test('or the list of public routes contains each route of the service', () => {
    const routes = service.app.routes.filter(({ method }) => method !== 'ALL');
    const names = routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`,
    );
    const known = new Set([...Object.keys(examples), ...publicNames, 'GET /docs/{asset}', 'GET /ui/*']);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe.each(Object.entries(examples))('%s', (name, { access: { scope }, request, status, secret }) => {
  const [method = ''] = name.split(' ');
  const ask = async (token: string | undefined, by = token): Promise<Send> => ({
    method,
    ...(await request(world, (send) => sendAs(service, by, send))),
  });

  test('is refused without a token', async () => {
    const answer = await sendAs(service, undefined, await ask(tokens['for the project']));
    expect([answer.status, answer.json.code]).toEqual([401, 'unauthorized']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(refused)('is refused with a token %s', async (kind) => {
    const answer = await sendAs(service, tokens[kind], await ask(tokens['for the project']));
    expect([answer.status, answer.json.code], answer.text).toEqual([401, 'unauthorized']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(answer.text).not.toContain(tokens[kind]);
  });

  test('grants nothing to a token without permissions', async () => {
    const sent = await ask(tokens['for the project']);
    const answer = await sendAs(service, tokens['that may do nothing'], sent);
    if (scope !== 'known') return expect([answer.status, answer.json.code]).toEqual([403, 'forbidden']);
    if (secret) expect(answer.text).not.toContain(secret(world));
    else expect(answer.status).toBe(status);
  });

  test('grants nothing to a token for another project', async () => {
    const sent = await ask(tokens['for the project']);
    const answer = await sendAs(service, tokens['for another project'], sent);
    if (scope === 'project' || scope === 'named project')
      return expect([answer.status, answer.json.code]).toEqual([403, 'forbidden']);
    if (secret) expect(answer.text).not.toContain(secret(world));
    else expect(answer.status).toBe(status);
  });

  test('is answered with a token for the project', async () => {
    const answer = await sendAs(service, tokens['for the project'], await ask(tokens['for the project']));
    expect(answer.status, answer.text).toBe(status);
    if (secret) expect(answer.text).toContain(secret(world));
  });
});

describe('public routes need no token', () => {
  const examplePath = (name: string) =>
    (name.split(' ')[1] ?? '')
      .replace('statement/{id}', `statement/${world.beta.statement.rdfc_cid}`)
      .replace('{uuid}', world.beta.id)
      .replace('{id}', 'did:web:example.org')
      .replace('{name}', 'cairn.svg');

  test.each(publicNames)('%s', async (name) => {
    const path = examplePath(name);
    const open = await sendAs(service, undefined, { method: 'GET', path });
    expect(open.status, open.text).toBeLessThan(400);
    for (const kind of ['of an unknown key', 'of 100 kB', 'that is none'])
      expect((await sendAs(service, tokens[kind], { method: 'GET', path })).status).toBe(open.status);
  });
});

test('the page of a graph is found with no token, because it holds no data, or one for its project', async () => {
  const path = `/ui/graph/${world.alpha.id}`;
  const statusWith = async (kind: string) =>
    (await sendAs(service, tokens[kind], { method: 'GET', path })).status;
  expect([
    await statusWith('none'),
    await statusWith('for the project'),
    await statusWith('for another project'),
  ]).toEqual([200, 200, 404]);
  const unknown = await sendAs(service, undefined, { method: 'GET', path: `/ui/graph/${randomUUID()}` });
  expect(unknown.status).toBe(200);
});
