import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AuthService } from '../../src/platform/tokens/auth-service.ts';
import { type AuthFailure, startAuthService, type TestAuthService } from './auth-service.ts';
import { stoppedClock } from './clock.ts';

let server: TestAuthService;
let clock: ReturnType<typeof stoppedClock>;
let service: AuthService;
let problems: Error[];

beforeEach(async () => {
  server = await startAuthService();
  clock = stoppedClock();
  problems = [];
  service = new AuthService({
    baseUrl: server.url,
    issuer: 'https://idp.example',
    now: clock.now,
    onError: (error) => void problems.push(error),
    timeoutMs: 500,
  });
});
afterEach(async () => await server[Symbol.asyncDispose]());

const rejected = { code: 'unauthorized', reason: 'rejected' };
const unavailable = { code: 'unavailable', retryAfter: expect.any(Number) };
const project = { type: 'project', id: 'p1' };

/** A JWT with an expiry. Only the auth service can verify it. */
function endingAt(milliseconds: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${part({ alg: 'HS256' })}.${part({ exp: Math.floor(milliseconds / 1_000) })}`;
  return `${head}.${createHmac('sha256', 'x').update(head).digest('base64url')}`;
}

describe('definite answers', () => {
  test('are remembered for half a minute', async () => {
    server.know('ada', { sub: 'ada', claims: { role: 'x' } });
    expect(service.known('ada')).toBeUndefined();
    expect(await service.verify('ada')).toMatchObject({ issuer: 'https://idp.example', subject: 'ada' });
    expect(service.known('ada')).toMatchObject({ claims: { role: 'x' } });
    clock.pass(29_999);
    await service.verify('ada');
    expect(server.calls('validate')).toBe(1);
    clock.pass(1);
    expect(service.known('ada')).toBeUndefined();
    await service.verify('ada');
    expect(server.calls('validate')).toBe(2);
  });

  test('do not last longer if the clock is set back', async () => {
    server.know('ada', { sub: 'ada' });
    await service.verify('ada');
    clock.pass(-3_600_000);
    expect(service.known('ada')).toBeUndefined();
  });

  test('may be rejections', async () => {
    server.reject('eve');
    for (let n = 0; n < 3; n += 1) await expect(service.verify('eve')).rejects.toMatchObject(rejected);
    expect(server.calls('validate')).toBe(1);
    server.know('eve', { sub: 'eve' });
    await expect(service.verify('eve')).rejects.toMatchObject(rejected);
    clock.pass(30_000);
    expect(await service.verify('eve')).toMatchObject({ subject: 'eve' });
    server.reject('eve', 403);
    clock.pass(30_000);
    await expect(service.verify('eve')).rejects.toMatchObject(rejected);
  });

  test('are requested once per token by concurrent callers', async () => {
    for (const token of ['a', 'b']) server.know(token, { sub: token });
    const callers = await Promise.all(['a', 'b', 'a', 'b', 'a'].map((token) => service.verify(token)));
    expect(callers.map(({ subject }) => subject)).toEqual(['a', 'b', 'a', 'b', 'a']);
    expect([server.calls('validate', 'a'), server.calls('validate', 'b')]).toEqual([1, 1]);
  });

  test('never outlive the expiry in the token or in the answer', async () => {
    const now = clock.now().getTime();
    const [byItself, byService, over] = [endingAt(now + 10_000), 'opaque', endingAt(now - 1_000)];
    server.know(byItself, { sub: 'ada' });
    server.know(byService, { sub: 'bob', exp: now / 1_000 + 10 });
    server.know(over, { sub: 'eve' });
    await service.verify(byItself);
    await service.verify(byService);
    await expect(service.verify(over)).rejects.toMatchObject(rejected);
    clock.pass(10_000);
    expect(service.known(byItself)).toBeUndefined();
    expect(service.known(byService)).toBeUndefined();
    await expect(service.verify(byItself)).rejects.toMatchObject(rejected);
  });
});

test('the log of a failure names the address and the status', async () => {
  server.fail('status-404');
  await expect(service.verify('ada')).rejects.toMatchObject(unavailable);
  expect(problems[0]?.message).toContain(`POST ${server.url}/api/v1/auth/validate`);
  expect(problems[0]?.message).toContain('it answers 404');
});

describe.each<AuthFailure | 'away'>([
  'status-404',
  'status-500',
  'status-503',
  'hang',
  'reset',
  'malformed',
  'huge',
  'away',
])('after a failure (%s)', (problem) => {
  beforeEach(async () => {
    server.know('ada', { sub: 'ada' });
    server.allow('ada', { permission: 'view_project_data', resource: project });
    if (problem === 'away') await server.stop();
    else server.fail(problem);
  });
  const heal = async () => (problem === 'away' ? await server.start() : server.fail(undefined));

  test('nobody gets access, nothing is remembered, and recovery is immediate', async () => {
    await expect(service.verify('ada')).rejects.toMatchObject(unavailable);
    await expect(service.authorize('ada', 'view_project_data', project)).rejects.toMatchObject(unavailable);
    expect(service.known('ada')).toBeUndefined();
    expect(problems).toHaveLength(2);
    expect(String(problems)).not.toContain('Bearer');
    await heal();
    expect(await service.verify('ada')).toMatchObject({ subject: 'ada' });
    expect(await service.authorize('ada', 'view_project_data', project)).toBe(true);
  });

  test('remembered answers still hold for half a minute', async () => {
    await heal();
    await service.verify('ada');
    if (problem === 'away') await server.stop();
    else server.fail(problem);
    expect(await service.verify('ada')).toMatchObject({ subject: 'ada' });
    clock.pass(30_000);
    await expect(service.verify('ada')).rejects.toMatchObject(unavailable);
  });
});

describe('permissions', () => {
  const other = { type: 'project', id: 'p2' };
  const may = (resource = project, permission = 'view_project_data') =>
    service.authorize('ada', permission, resource);

  test('can be asked anew', async () => {
    server.know('ada', { sub: 'ada' });
    server.allow('ada', { permission: 'view_project_data', resource: project });
    expect(await may()).toBe(true);
    server.allow('ada');
    expect(await may()).toBe(true);
    expect(await service.authorize('ada', 'view_project_data', project, true)).toBe(false);
  });

  test('are remembered by token, permission and resource', async () => {
    server.know('ada', { sub: 'ada' });
    server.know('bob', { sub: 'bob' });
    server.allow('ada', { permission: 'view_project_data', resource: project });
    for (let n = 0; n < 2; n += 1) {
      expect(await may()).toBe(true);
      expect(await may(other)).toBe(false);
      expect(await may({ ...project, type: 'organization' })).toBe(false);
      expect(await may(project, 'create_declarations')).toBe(false);
      expect(await service.authorize('bob', 'view_project_data', project)).toBe(false);
    }
    expect(server.calls('authorize')).toBe(5);
    server.allow('ada');
    expect(await may()).toBe(true);
    clock.pass(30_000);
    expect(await may()).toBe(false);
  });

  test('are denied for a token that has been rejected since', async () => {
    server.reject('ada');
    expect(await may()).toBe(false);
  });
});
