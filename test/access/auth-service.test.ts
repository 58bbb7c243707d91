import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AuthFailure, startAuthService, type TestAuthService } from './auth-service.ts';

let service: TestAuthService;
beforeAll(async () => {
  service = await startAuthService();
});
afterAll(async () => await service[Symbol.asyncDispose]());
beforeEach(() => service.fail(undefined));

async function call(path: string, token: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${service.url}/api/v1/auth/${path}`, {
    method: 'POST',
    // A kept connection may have been reset by a stop that its client has not noticed yet.
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}

const validate = async (token: string) => await call('validate?include_claims=true', token);

test('the test service answers for registered tokens and rejects others', async () => {
  const answer = {
    user_id: 'ada',
    organization_roles: [{ role: 'owner' }],
    claims: { 'x/has_admin_access': true },
  };
  service.know('known', answer);
  service.reject('barred', 403);
  expect(await validate('known')).toEqual({ status: 200, json: answer });
  expect((await validate('unheard-of')).status).toBe(401);
  expect((await validate('barred')).status).toBe(403);
  expect((await call('validate', 'known')).status).toBe(404);
  service.reject('known');
  expect((await validate('known')).status).toBe(401);
  expect(service.calls('validate')).toBe(4);
  expect(service.calls('validate', 'known')).toBe(2);
});

test('the test service authorizes what a test allows', async () => {
  const question = { permission: 'view_project_data', resource: { type: 'project', id: 'p1' } };
  service.know('viewer', { sub: 'vera' });
  service.allow('viewer', question);
  expect(await call('authorize', 'viewer', question)).toEqual({ status: 200, json: { allowed: true } });
  const another = { ...question, resource: { type: 'project', id: 'p2' } };
  expect((await call('authorize', 'viewer', another)).json).toEqual({ allowed: false });
  expect(service.calls('authorize', 'viewer')).toBe(2);
});

test.each<[AuthFailure, object]>([
  ['status-500', { status: 500 }],
  ['status-503', { status: 503 }],
  ['malformed', { message: expect.stringContaining('JSON') }],
  ['reset', { message: 'fetch failed' }],
])('the test service fails on demand: %s', async (problem, seen) => {
  service.know('known', { sub: 'ada' });
  service.fail(problem, 'validate');
  const asked = validate('known').catch((error: Error) => ({ message: error.message }));
  expect(await asked).toMatchObject(seen);
  service.fail(undefined);
  expect((await validate('known')).status).toBe(200);
});

test('the test service can hold calls and send huge answers', async () => {
  service.know('known', { sub: 'ada' });
  service.fail('hang');
  const before = service.calls('validate');
  const asked = validate('known');
  await expect.poll(() => service.calls('validate')).toBe(before + 1);
  service.fail(undefined);
  expect((await asked).status).toBe(200);

  service.fail('huge');
  const response = await fetch(`${service.url}/api/v1/auth/validate?include_claims=true`, { method: 'POST' });
  let seen = 0;
  for await (const chunk of response.body ?? []) {
    seen += chunk.length;
    if (seen > 2_000_000) break;
  }
  expect(seen).toBeGreaterThan(2_000_000);
});

test('the test service can stop and start again', async () => {
  await service.stop();
  await expect(validate('known')).rejects.toThrow('fetch failed');
  await service.start();
  expect((await validate('unheard-of')).status).toBe(401);
});
