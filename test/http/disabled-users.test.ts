import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServices, type Services } from '../../src/composition/services.ts';
import { permissions } from '../../src/domain/access/grants.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { startAuthService } from '../access/auth-service.ts';
import { json, type Send } from './access-world.ts';
import { variables } from './control-plane/plane.ts';
import { type Answer, answerOf } from './service.ts';
import { newServiceStore, type ServiceStore } from './service-store.ts';

const namespace = 'https://cairn.example';
const authority = await startAuthService();
let store: ServiceStore;
let services: Services;

/** Both services at one address. An auth service verifies the tokens of both. */
beforeAll(async () => {
  store = await newServiceStore();
  const settings = readSettings({
    ...store.environment,
    CAIRN_WORKERS: '1',
    CAIRN_AUTH_MODE: 'auth_service',
    CAIRN_AUTH_SERVICE_BASE_URL: authority.url,
    CAIRN_CLAIM_NAMESPACE: namespace,
    ...variables({
      ENABLED: 'true',
      BEARER_ENABLED: 'true',
      BEARER_MODE: 'auth_service',
      BEARER_AUTH_SERVICE_BASE_URL: authority.url,
    }),
  });
  const log = pino({ level: 'silent' });
  services = await openServices(settings, log, ['integrity', 'control-plane'], { worksOnJobs: false });
});
afterAll(async () => {
  await services[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
});

async function send(token: string, { method, path, ...init }: Send): Promise<Answer> {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  return await answerOf(
    await services.fetch(new Request(`http://127.0.0.1${path}`, { method, ...init, headers })),
  );
}

/** A token with all permissions in the integrity service, or of a platform administrator. */
function newToken(subject: string, isAdmin = false): string {
  const claims = isAdmin
    ? { [`${namespace}/has_admin_access`]: true }
    : { [`${namespace}/permissions`]: { '*': permissions } };
  authority.know(subject, { sub: subject, claims });
  return subject;
}

const read: Send = { method: 'GET', path: '/graph/v1' };
const write = (): Send => ({
  method: 'PUT',
  path: '/graph/v1',
  ...json({ graph_id: randomUUID(), name: 'a project' }),
});
const usersFor = async (admin: string) =>
  (await send(admin, { method: 'GET', path: '/v1/users?limit=1000' })).json.users;

test('a caller whom the integrity service accepts is a user whom the control plane can disable', async () => {
  const admin = newToken(`root-${randomUUID()}`, true);
  const token = newToken(`mia-${randomUUID()}`);
  expect((await send(token, read)).status).toBe(200);
  expect((await send(token, write())).status).toBe(201);
  const [user, ...others] = (await usersFor(admin)).filter(
    ({ subject }: { subject: string }) => subject === token,
  );
  expect(others).toEqual([]);
  expect(user).toMatchObject({
    issuer: authority.url,
    role: 'member',
    role_source: 'default',
    disabled: false,
    last_login_at: null,
  });
  const patch = async (change: object) =>
    await send(admin, { method: 'PATCH', path: `/v1/users/${user.id}`, ...json(change) });
  expect((await patch({ disabled: true })).status).toBe(200);
  for (const request of [read, write(), { method: 'GET', path: '/v1/me' }])
    expect((await send(token, request)).json).toMatchObject({ code: 'forbidden' });
  expect((await patch({ disabled: false })).status).toBe(200);
  expect((await send(token, write())).status).toBe(201);
});

test('an administrator by claim stays one while nobody chooses another role', async () => {
  const admin = newToken(`root-${randomUUID()}`, true);
  const other = newToken(`root-${randomUUID()}`, true);
  for (let request = 0; request < 3; request += 1)
    expect((await send(admin, { method: 'GET', path: '/v1/me' })).json).toMatchObject({ role: 'admin' });
  const me = async () => (await send(other, { method: 'GET', path: '/v1/me' })).json;
  const { id } = (await me()).user;
  const patch = async (role: string) =>
    await send(admin, { method: 'PATCH', path: `/v1/users/${id}`, ...json({ role }) });
  expect((await patch('member')).status).toBe(200);
  expect(await me()).toMatchObject({ role: 'member' });
  expect((await patch('admin')).status).toBe(200);
  expect(await me()).toMatchObject({ role: 'admin' });
});

test('many first requests at once make one user', async () => {
  const token = newToken(`many-${randomUUID()}`);
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(token, read)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const users = await usersFor(newToken(`root-${randomUUID()}`, true));
  expect(users.filter(({ subject }: { subject: string }) => subject === token)).toHaveLength(1);
});
