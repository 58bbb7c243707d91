import { beforeAll, describe, expect, test } from 'vitest';
import { agents } from '../../../src/domain/control-plane/agents/agents.ts';
import { beginSession, sessions } from '../../../src/domain/control-plane/sessions.ts';
import type { User } from '../../../src/domain/control-plane/users.ts';
import { Seal } from '../../../src/platform/sign-in/seal.ts';
import { newAgent } from '../../contract/new-agent.ts';
import { usersOf } from '../../contract/nouns.ts';
import { bearer, origin, secret, usePlane } from './plane.ts';
import { projectReads, type Seeded, seed } from './projects/seeded.ts';

interface Row {
  readonly access: string;
  readonly path: string;
  readonly status: number;
  /** For members, if it is another. */
  readonly member?: number;
  readonly body?: object;
}

/** A request for each operation, its access rule in the specification, and the expected status. */
const requests: Record<string, Row> = {
  'GET /health': { access: 'public', path: '/health', status: 200 },
  'GET /ready': { access: 'public', path: '/ready', status: 200 },
  'GET /v1/auth/providers': { access: 'public', path: '/v1/auth/providers', status: 200 },
  'GET /v1/auth/device-config': { access: 'public', path: '/v1/auth/device-config', status: 200 },
  'GET /v1/auth/login': { access: 'public', path: '/v1/auth/login?provider=idp', status: 302 },
  'GET /v1/auth/callback/{provider}': {
    access: 'public',
    path: '/v1/auth/callback/idp?state=x',
    status: 302,
  },
  'POST /v1/auth/logout': { access: 'authenticated', path: '/v1/auth/logout', status: 204 },
  'GET /v1/me': { access: 'authenticated', path: '/v1/me', status: 200 },
  'GET /v1/users': { access: 'admin', path: '/v1/users', status: 200 },
  'PATCH /v1/users/{id}': {
    access: 'admin',
    path: '/v1/users/{other}',
    status: 200,
    body: { name: 'Somebody' },
  },
  'GET /v1/audit-log': { access: 'admin', path: '/v1/audit-log', status: 200 },
  'POST /v1/agent-registration-tokens': {
    access: 'subject',
    path: '/v1/agent-registration-tokens',
    status: 201,
    body: { agent_name: 'An agent' },
  },
  'GET /v1/agents': { access: 'authenticated', path: '/v1/agents', status: 200 },
  // The agent has no binding to anybody.
  'GET /v1/agents/{id}': { access: 'authenticated', path: '/v1/agents/agent_0', status: 200, member: 404 },
  'GET /v1/agents/{id}/status-events': {
    access: 'admin',
    path: '/v1/agents/agent_0/status-events',
    status: 200,
  },
  // No log is published here.
  'GET /log/v1/agents/{id}/checkpoint': {
    access: 'authenticated',
    path: '/log/v1/agents/agent_0/checkpoint',
    status: 404,
  },
  'GET /log/v1/agents/{id}/name': {
    access: 'authenticated',
    path: '/log/v1/agents/agent_0/name',
    status: 404,
  },
  'GET /log/v1/agents/{id}/key': {
    access: 'authenticated',
    path: '/log/v1/agents/agent_0/key',
    status: 404,
  },
  'GET /log/v1/agents/{id}/tile/{tile}': {
    access: 'authenticated',
    path: '/log/v1/agents/agent_0/tile/0/000.p/1',
    status: 404,
  },
  'POST /v1/agents/{id}/revoke': { access: 'admin', path: '/v1/agents/agent_0/revoke', status: 200 },
  'POST /v1/agents/{id}/restore': { access: 'admin', path: '/v1/agents/agent_0/restore', status: 200 },
  'PATCH /v1/agents/{id}/bindings/{binding_id}': {
    access: 'admin',
    path: '/v1/agents/agent_0/bindings/agent_0:1',
    status: 200,
    body: { state: 'ended' },
  },
  // They need credentials of their own, whoever else is calling.
  'POST /v1/gateway/registrations': gatewayRow('registration', 'registrations'),
  'POST /v1/gateway/audit-exchanges': gatewayRow('audit-exchanges'),
  'POST /v1/gateway/plugin-events': gatewayRow('plugin-events'),
  'POST /v1/gateway/state-records': gatewayRow('state-records'),
  'POST /v1/gateway/memberships': gatewayRow('memberships'),
  'POST /v1/gateway/project-bindings': gatewayRow('project-bindings'),
  'POST /v1/traces': { ...gatewayRow('audit-exchanges'), path: '/v1/traces' },
  // Of an operator project. `projects/` tests those of the governance console.
  ...Object.fromEntries(projectReads.map((name) => [name, { access: 'project', path: name, status: 200 }])),
};

function gatewayRow(access: string, name = access): Row {
  return { access, path: `/v1/gateway/${name}`, status: 401 };
}

const plane = usePlane();
let users: Record<'ada' | 'admin' | 'banned' | 'other', User>;
let project: Seeded;
/** Every answer so far, to check that none contains a secret. */
const answers: string[] = [];

beforeAll(async () => {
  const { store, provider } = plane;
  const make = async (subject: string) => {
    const identity = { issuer: provider.issuer, subject, email: null, emailVerified: false, name: null };
    return await usersOf(store).logIn(identity, { newId: crypto.randomUUID(), now: Date.now() });
  };
  users = {
    ada: await make('ada'),
    admin: await make('admin'),
    banned: await make('banned'),
    other: await make('other'),
  };
  project = await seed(store);
  await usersOf(store).change(users.admin.id, { role: 'admin' }, Date.now());
  await store.of(agents).insert([newAgent({ id: 'agent_0' })]);
  await usersOf(store).change(users.banned.id, { disabled: true }, Date.now());
});

/** A new session of a user, as headers of a page that knows its CSRF token. */
async function session(user: User) {
  const newSecret = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const ports = { sessions: plane.store.of(sessions), now: () => new Date(), newSecret };
  const { id: userId, issuer, subject } = user;
  const limits = { maxAge: 3_600_000, idleTimeout: 3_600_000 };
  const { secretId } = new Seal(secret, 'tests', ports.now);
  const { id, csrfToken } = await beginSession(
    ports,
    { userId, issuer, subject, secretId, sealedTokens: null },
    limits,
  );
  const cookie = `svc_session=${id}; svc_csrf=${csrfToken}`;
  return { cookie, 'x-csrf-token': csrfToken, origin };
}

type Headers = Record<string, string>;
type Standing = 'nobody' | 'refused' | 'member' | 'admin';

/** What callers send, and who they are. `cannot change` applies to operations that change something. */
const callers: Record<
  string,
  { headers: () => Promise<Headers> | Headers; is: Standing; cannotChange?: true }
> = {
  'no token': { headers: () => ({}), is: 'nobody' },
  'an empty token': { headers: () => ({ authorization: 'Bearer ' }), is: 'nobody' },
  'another scheme': { headers: () => ({ authorization: 'Basic YWRhOmFkYQ==' }), is: 'nobody' },
  'an expired token': token((provider) => provider.idToken({ claims: { exp: 1_000_000 } })),
  'a token of tomorrow': token((provider) => provider.idToken({ claims: { nbf: 5_000_000_000 } })),
  'a token without an end': token((provider) => provider.idToken({ claims: { exp: undefined } })),
  'a token of another audience': token((provider) => provider.idToken({ claims: { aud: 'another' } })),
  'a token of another issuer': token((provider) =>
    provider.idToken({ claims: { iss: 'https://evil.example' } }),
  ),
  'a token without a subject': token((provider) => provider.idToken({ claims: { sub: undefined } })),
  'an access token': token((provider) => provider.accessToken()),
  'an access token for this client': token((provider) =>
    provider.accessToken({ claims: { aud: provider.deviceClient.id } }),
  ),
  'an ID token of the type at+jwt': token((provider) => provider.idToken({ header: { typ: 'at+jwt' } })),
  'a logout token': token((provider) => provider.idToken({ header: { typ: 'logout+jwt' } })),
  'a token without a signature': token((provider) => provider.unsignedToken('id')),
  'a token signed with the public key': token((provider) => provider.hs256WithPublicKey('id')),
  'a token of an unknown key': token((provider) => provider.foreignKeyToken('id')),
  'a token of a foreign key under a known name': token((provider) =>
    provider.foreignKeyToken('id', {}, 'known'),
  ),
  'a token': token((provider) => provider.idToken(), 'member'),
  'a token of an administrator': token(
    (provider) => provider.idToken({ claims: { sub: 'admin' } }),
    'member',
  ),
  'a token of a disabled user': token(
    (provider) => provider.idToken({ claims: { sub: 'banned' } }),
    'refused',
  ),
  'a session': { headers: () => session(users.ada), is: 'member' },
  'a session of an administrator': { headers: () => session(users.admin), is: 'admin' },
  'a session of a disabled user': { headers: () => session(users.banned), is: 'refused' },
  'a session that never was': { headers: () => ({ cookie: `svc_session=${'A'.repeat(43)}` }), is: 'nobody' },
  'a session beside a bad token': {
    headers: async () => ({ ...(await session(users.admin)), authorization: 'Bearer bad' }),
    is: 'nobody',
  },
  'a session without its CSRF token': {
    headers: async () => ({ cookie: (await session(users.admin)).cookie }),
    is: 'admin',
    cannotChange: true,
  },
  'a session with the CSRF token of another': {
    headers: async () => ({
      ...(await session(users.admin)),
      'x-csrf-token': (await session(users.admin))['x-csrf-token'],
    }),
    is: 'admin',
    cannotChange: true,
  },
  'a session used by a page of another site': {
    headers: async () => ({ ...(await session(users.admin)), origin: 'https://evil.example' }),
    is: 'admin',
    cannotChange: true,
  },
};

function token(make: (provider: typeof plane.provider) => Promise<string> | string, is: Standing = 'nobody') {
  return { headers: async () => bearer(await make(plane.provider)), is };
}

/** The status that the access rules require. */
function demanded(operation: string, caller: (typeof callers)[string]): number {
  const { access, path, status, member = status } = requests[operation] ?? missing(operation);
  if (access === 'public' || /^\/v1\/(?:gateway\/|traces$)/.test(path)) return status;
  if (caller.is === 'nobody') return 401;
  if (caller.is === 'refused') return 403;
  if (caller.cannotChange && !operation.startsWith('GET ')) return 403;
  const isForAdmins = access === 'admin' || access === 'project';
  if (isForAdmins && caller.is !== 'admin') return 403;
  return caller.is === 'member' ? member : status;
}

function missing(what: string): never {
  throw new Error(`The table has no "${what}".`);
}

test('the API description says who may call each operation, as the specification does', async () => {
  const { json } = await plane.main.send('GET', '/openapi.json');
  const described = Object.entries<Record<string, { 'x-access': string }>>(json.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { 'x-access': access }]) => [
        `${method.toUpperCase()} ${path}`,
        access,
      ]),
  );
  const demands = Object.entries(requests).map(([name, { access }]) => [name, access]);
  expect(described.toSorted()).toEqual(demands.toSorted());
});

describe.each(Object.keys(requests))('%s', (operation) => {
  test.each(Object.keys(callers))('with %s', async (name) => {
    const caller = callers[name] ?? missing(name);
    const [method = ''] = operation.split(' ');
    const { path: usual, body } = requests[operation] ?? missing(operation);
    const path = project.paths[operation] ?? usual;
    const headers = await caller.headers();
    const answer = await plane.main.send(method, path.replace('{other}', users.other.id), headers, body);
    answers.push(withoutMinted(answer.text));
    expect({ status: answer.status, error: answer.json?.error }).toMatchObject({
      status: demanded(operation, caller),
    });
    if (answer.status === 401) {
      expect(answer.json).toMatchObject({ code: 'unauthorized', request_id: expect.any(String) });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
    if (answer.status === 403) expect(answer.json).toMatchObject({ code: 'forbidden' });
  });
});

/** A minted token is in the answer to whoever minted it. */
function withoutMinted(text: string): string {
  return text.replace(/"registration_token":"[^"]+"/, '');
}

test('neither answers nor the log contain a token or a session id', () => {
  const said = [...answers, ...plane.log].join('\n');
  expect(said).toContain('bad_signature');
  expect(said).not.toMatch(/eyJ[\w-]+\.|svc_session=/);
});
