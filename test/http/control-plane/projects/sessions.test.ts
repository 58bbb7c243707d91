import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserChange } from '../../../../src/domain/control-plane/administrators.ts';
import { startAuthService, type TestAuthService } from '../../../access/auth-service.ts';
import { usersOf } from '../../../contract/nouns.ts';
import { bearer, type Replica, usePlane } from '../plane.ts';
import { projectReads, type Seeded, seed } from './seeded.ts';

const opened = new AsyncDisposableStack();
const plane = usePlane();
let authService: TestAuthService;
let asking: Replica;
let bound: Seeded;

beforeAll(async () => {
  authService = opened.use(await startAuthService());
  asking = await plane.replica({ CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL: authService.url });
  bound = await seed(plane.store, 'console');
});
afterAll(() => opened.disposeAsync());

async function change(subject: string, changes: UserChange): Promise<void> {
  const user = await usersOf(plane.store).bySubject(plane.provider.issuer, subject);
  await usersOf(plane.store).change(user?.id ?? '', changes, Date.now());
}

async function statuses(replica: Replica, headers: Record<string, string>): Promise<Set<number>> {
  const got = new Set<number>();
  for (const operation of projectReads)
    got.add((await replica.send('GET', bound.paths[operation] ?? '', headers)).status);
  return got;
}

test('the session of an administrator does not open a project of the console', async () => {
  const browser = asking.browser();
  await browser.signIn('ada');
  await change('ada', { role: 'admin' });
  const me = await asking.send('GET', '/v1/me', browser.headers());
  expect(me.json.role).toBe('admin');
  expect(await statuses(asking, browser.headers())).toEqual(new Set([401]));
  expect(await statuses(plane.main, browser.headers())).toEqual(new Set([503]));
  const answer = await asking.send('GET', bound.paths[projectReads[0] ?? ''] ?? '', browser.headers());
  expect(answer.json.error).toMatch(/needs a bearer token/);
  expect(authService.calls('authorize')).toBe(0);
});

test('an ID token opens it if the auth service allows, and only then', async () => {
  const token = await plane.provider.idToken();
  expect(await statuses(asking, bearer(token))).toEqual(new Set([403]));
  const resource = { type: 'project', id: `console-${bound.project}` };
  authService.allow(token, { permission: 'view_project_data', resource });
  expect(await statuses(asking, bearer(token))).toEqual(new Set([200]));
  expect(await statuses(plane.main, bearer(token))).toEqual(new Set([503]));
});

test('an ID token of a disabled user is refused, although the auth service allows it', async () => {
  const token = await plane.provider.idToken({ claims: { sub: 'banned' } });
  const resource = { type: 'project', id: `console-${bound.project}` };
  authService.allow(token, { permission: 'view_project_data', resource });
  expect(await statuses(asking, bearer(token))).toEqual(new Set([200]));
  await change('banned', { disabled: true });
  expect(await statuses(asking, bearer(token))).toEqual(new Set([403]));
});
