import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type User, users } from '../../../src/domain/control-plane/users.ts';
import { startAuthService, type TestAuthService } from '../../access/auth-service.ts';
import { usersOf } from '../../contract/nouns.ts';
import { newUser } from '../../contract/users.ts';
import { bearer, type Replica, usePlane, variables } from './plane.ts';

const plane = usePlane();
const me = async (headers: Record<string, string>, replica = plane.main) =>
  await replica.send('GET', '/v1/me', headers);

async function disable(issuer: string, subject: string, disabled = true) {
  const user = await usersOf(plane.store).bySubject(issuer, subject);
  await usersOf(plane.store).change(user?.id ?? '', { disabled }, Date.now());
}

describe('ID tokens of tools', () => {
  test('come from the device flow', async () => {
    const config = await plane.main.send('GET', '/v1/auth/device-config');
    expect(config.json).toEqual({
      issuer: plane.provider.issuer,
      client_id: plane.provider.deviceClient.id,
      scopes: ['openid', 'profile', 'email'],
    });
    // Then tools also get access tokens for the integrity service.
    const integrity = {
      CAIRN_AUTH_MODE: 'oidc',
      CAIRN_OIDC_ISSUER_URL: plane.provider.issuer,
      CAIRN_OIDC_AUDIENCE: 'cairn',
    };
    const both = await (await plane.replica(integrity)).send('GET', '/v1/auth/device-config');
    expect(both.json).toEqual({ ...config.json, audience: 'cairn' });
    const tokens = await plane.provider.deviceTokens('ada');
    const answer = await me(bearer(tokens.id_token));
    expect(answer).toMatchObject({
      status: 200,
      json: {
        subject: 'ada',
        role: 'member',
        means: 'oidc_bearer',
        user: { id: expect.any(String) },
        session: null,
      },
    });
    for (const token of [tokens.access_token, tokens.refresh_token])
      expect((await me(bearer(token))).status).toBe(401);
  });

  test('must be for this client, unlike those of browser sign-ins', async () => {
    const aud = plane.provider.browserClient.id;
    expect((await me(bearer(await plane.provider.idToken({ claims: { aud } })))).status).toBe(401);
    const both = [plane.provider.deviceClient.id, aud];
    expect((await me(bearer(await plane.provider.idToken({ claims: { aud: both, azp: aud } })))).status).toBe(
      401,
    );
  });

  test('make members, whatever they claim and whatever is stored', async () => {
    const browser = plane.main.browser();
    await browser.signIn('ada');
    const user = await usersOf(plane.store).bySubject(plane.provider.issuer, 'ada');
    await usersOf(plane.store).change(user?.id ?? '', { role: 'admin' }, Date.now());
    const claims = { role: 'admin', 'https://cairn.example/has_admin_access': true };
    const token = bearer(await plane.provider.idToken({ claims }));
    expect((await me(token)).json).toMatchObject({ role: 'member', user: { id: user?.id } });
    expect((await plane.main.send('GET', '/v1/users', token)).status).toBe(403);
    expect((await me(browser.headers())).json.role).toBe('admin');
  });

  test('of a disabled user are refused at once, even if they were accepted a moment ago', async () => {
    await plane.main.browser().signIn('banned');
    const token = bearer(await plane.provider.idToken({ claims: { sub: 'banned' } }));
    expect((await me(token)).status).toBe(200);
    await disable(plane.provider.issuer, 'banned');
    expect((await me(token)).status).toBe(403);
    await disable(plane.provider.issuer, 'banned', false);
    expect((await me(token)).status).toBe(200);
  });

  test('need no CSRF token, and do not end a session', async () => {
    const browser = plane.main.browser();
    await browser.signIn('ada');
    const token = bearer(await plane.provider.idToken());
    const answer = await plane.main.send('POST', '/v1/auth/logout', { ...browser.headers(), ...token });
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await me(browser.headers())).status).toBe(200);
  });

  test('take precedence over a session: a session does not make a bad token good', async () => {
    const browser = plane.main.browser();
    await browser.signIn('ada');
    expect((await me({ ...browser.headers(), ...bearer('nonsense') })).status).toBe(401);
    for (const authorization of ['Bearer', 'bearer nonsense', 'Bearer\tnonsense', 'Bearer a, Bearer b'])
      expect((await me({ ...browser.headers(), authorization })).status).toBe(401);
    const expired = await plane.provider.idToken({ claims: { exp: 1 } });
    const answer = await me({ ...browser.headers(), ...bearer(expired) });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    const mine = await me({ ...browser.headers(), ...bearer(await plane.provider.idToken()) });
    expect(mine.json.means).toBe('oidc_bearer');
  });

  test('need a verified e-mail of an allowed domain, like sign-ins by browser', async () => {
    const strict = await plane.replica(variables({ ALLOWED_EMAIL_DOMAINS: 'example.com' }));
    const status = async (claims: Record<string, unknown>) =>
      (await me(bearer(await plane.provider.idToken({ claims })), strict)).status;
    expect(await status({ email: 'ada@example.com', email_verified: true })).toBe(200);
    expect(await status({ email: 'ada@example.com', email_verified: false })).toBe(403);
    expect(await status({ email: 'ada@other.example', email_verified: true })).toBe(403);
    expect(await status({ email: undefined, email_verified: true })).toBe(403);
  });

  test('that are malformed or very long are refused', async () => {
    for (const token of ['x'.repeat(100_000), 'a b', 'a,b', 'é', `${'a.'.repeat(50)}`])
      expect((await me({ authorization: `Bearer ${encodeURI(token).slice(0, 100_000)}` })).status).toBe(401);
  });

  test('that fail too often from an address get 429', async () => {
    const replica = await plane.replica({ CAIRN_TOKEN_FAILURE_RATE: '3/1m' }, '192.0.2.99');
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await me(bearer(`bad-${attempt}`), replica)).status).toBe(401);
    const answer = await me(bearer('bad-again'), replica);
    expect(answer).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    expect(answer.headers.get('retry-after')).not.toBeNull();
  });

  test('that fail again and again do not lock out other tokens of their address', async () => {
    const replica = await plane.replica({ CAIRN_TOKEN_FAILURE_RATE: '3/1m' }, '192.0.2.96');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1)
      statuses.push((await me(bearer('stale-token'), replica)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await me({ authorization: 'Bearer a, Bearer b' }, replica)).status).toBe(401);
    expect((await me(bearer(await plane.provider.idToken()), replica)).status).toBe(200);
  });

  test('behind a proxy that is not trusted are reported once', async () => {
    const replica = await plane.replica({}, '192.0.2.95');
    const headers = { ...bearer(await plane.provider.idToken()), 'x-forwarded-for': '198.51.100.7' };
    const from = plane.log.length;
    for (let attempt = 0; attempt < 3; attempt += 1) await me(headers, replica);
    const lines = plane.log.slice(from).filter((line) => line.includes('X-Forwarded-For'));
    expect(lines).toEqual([expect.stringMatching(/192\.0\.2\.95.*CAIRN_TRUSTED_PROXIES/)]);
    const trusting = await plane.replica({ CAIRN_TRUSTED_PROXIES: '192.0.2.95' }, '192.0.2.95');
    await me(headers, trusting);
    expect(plane.log.slice(from).filter((line) => line.includes('X-Forwarded-For'))).toHaveLength(1);
  });

  test('are refused if bearer tokens are disabled', async () => {
    const replica = await plane.replica(variables({ BEARER_ENABLED: 'false' }));
    expect((await me(bearer(await plane.provider.idToken()), replica)).status).toBe(401);
    expect((await replica.send('GET', '/v1/auth/device-config')).status).toBe(404);
    const browser = replica.browser();
    await browser.signIn('ada');
    expect((await me(browser.headers(), replica)).status).toBe(200);
  });
});

describe('tokens of an auth service', () => {
  let service: TestAuthService;
  let replica: Replica;
  beforeAll(async () => {
    service = await startAuthService();
    replica = await plane.replica(asking());
  });
  /** The settings of a process that asks the service at this address. */
  const asking = (url = service.url) => ({
    ...variables({ BEARER_MODE: 'auth_service', BEARER_AUTH_SERVICE_BASE_URL: url }),
    CAIRN_AUTH_SERVICE_ISSUER: service.url,
  });
  afterAll(() => service[Symbol.asyncDispose]());
  const admin = { 'https://cairn.example/has_admin_access': true };

  test('identify the caller and the role', async () => {
    service.know('member', { sub: 'mia', claims: {}, organization_roles: [{ role: 'owner' }] });
    service.know('admin', { user_id: 'root', claims: admin });
    expect((await me(bearer('member'), replica)).json).toMatchObject({
      issuer: service.url,
      subject: 'mia',
      role: 'member',
      means: 'auth_service_bearer',
    });
    expect((await me(bearer('admin'), replica)).json).toMatchObject({ subject: 'root', role: 'admin' });
    expect((await replica.send('GET', '/v1/users', bearer('admin'))).status).toBe(200);
    expect((await replica.send('GET', '/v1/users', bearer('member'))).status).toBe(403);
  });

  test.each([400, 422] as const)('that it answers with %s are refused and counted', async (status) => {
    const rate = { CAIRN_TOKEN_FAILURE_RATE: '1/1h' };
    const mode = asking();
    const counted = await plane.replica({ ...mode, ...rate }, `192.0.2.${status % 100}`);
    service.reject(`bad-${status}`, status);
    expect((await me(bearer(`bad-${status}`), counted)).status).toBe(401);
    expect(service.calls('validate', `bad-${status}`)).toBe(1);
    expect((await me(bearer(`other-${status}`), counted)).status).toBe(429);
  });

  test('are neither refused nor counted while it answers 404', async () => {
    const mode = asking(`${service.url}/old`);
    const wrong = await plane.replica({ ...mode, CAIRN_TOKEN_FAILURE_RATE: '1/1h' }, '192.0.2.94');
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await me(bearer('member'), wrong)).status).toBe(503);
    expect(plane.log.some((line) => line.includes('/old/api/v1/auth/validate') && line.includes('404'))).toBe(
      true,
    );
  });

  test('are of the configured issuer unless they say otherwise, so that disabled users stay out', async () => {
    const { issuer } = plane.provider;
    const named = await plane.replica({ ...asking(), CAIRN_AUTH_SERVICE_ISSUER: issuer });
    await plane.main.browser().signIn('nameless');
    service.know('nameless', { sub: 'nameless' });
    expect((await me(bearer('nameless'), named)).json).toMatchObject({ issuer, subject: 'nameless' });
    await disable(issuer, 'nameless');
    expect((await me(bearer('nameless'), named)).status).toBe(403);
  });

  test('are of the same users at another address of the service, or the process does not start', async () => {
    service.know('moved', { sub: 'moved' });
    await me(bearer('moved'), await plane.replica(asking()));
    await disable(service.url, 'moved');
    const elsewhere = asking(service.url.replace('127.0.0.1', 'localhost'));
    const { CAIRN_AUTH_SERVICE_ISSUER: _, ...unnamed } = elsewhere;
    await expect(plane.replica(unnamed)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`set CAIRN_AUTH_SERVICE_ISSUER="${service.url}"`),
    });
    expect((await me(bearer('moved'), await plane.replica(elsewhere))).status).toBe(403);
  });

  test.each([
    ['a text', { 'https://cairn.example/has_admin_access': 'true' }],
    ['a number', { 'https://cairn.example/has_admin_access': 1 }],
    ['another namespace', { 'https://evil.example/has_admin_access': true }],
    ['no namespace', { has_admin_access: true, '/has_admin_access': true }],
    ['an organization', { roles: ['admin'], organization_roles: ['owner'] }],
  ])('do not make an administrator by %s', async (name, claims) => {
    service.know(name.replace(' ', '-'), { sub: 'mallory', claims });
    expect((await me(bearer(name.replace(' ', '-')), replica)).json.role).toBe('member');
  });

  test('that make an administrator are shown in the list of users, until somebody chooses a role', async () => {
    service.know('chief', { sub: 'chief', claims: admin });
    const asked = (await me(bearer('chief'), replica)).json;
    expect(asked).toMatchObject({ role: 'admin', role_source: 'claim' });
    service.know('lister', { sub: 'lister', claims: admin });
    const listed = async (wanted = asked.user.id) => {
      const { json } = await replica.send('GET', '/v1/users?limit=1000', bearer('lister'));
      return json.users.find(({ id }: { id: string }) => id === wanted);
    };
    const stored = { role: 'member', role_source: 'default' };
    expect(await listed()).toMatchObject({
      ...stored,
      effective_role: 'admin',
      effective_role_source: 'claim',
    });
    // A record of an earlier version.
    const { isAdminByClaim: _, ...earlier } = newUser({ lastLoginAt: null, roleSource: 'default' });
    await plane.store.of(users).insert([earlier as User]);
    expect(await listed(earlier.id)).toMatchObject({
      ...stored,
      effective_role: 'member',
      effective_role_source: 'default',
    });
    // A token without the claim.
    service.know('chief-again', { sub: 'chief', claims: {} });
    expect((await me(bearer('chief-again'), replica)).json).toMatchObject({
      role: 'member',
      role_source: 'default',
    });
    expect(await listed()).toMatchObject({ effective_role: 'member', effective_role_source: 'default' });
    const changed = await replica.send('PATCH', `/v1/users/${asked.user.id}`, bearer('lister'), {
      role: 'member',
    });
    expect(changed.json).toMatchObject({ effective_role: 'member', effective_role_source: 'override' });
    expect((await me(bearer('chief'), replica)).json).toMatchObject({
      role: 'member',
      role_source: 'override',
    });
  });

  test('do not override the stored role of a user', async () => {
    const { issuer } = plane.provider;
    await plane.main.browser().signIn('known');
    service.know('known-admin', { sub: 'known', claims: { ...admin, iss: issuer } });
    service.know('namesake', { sub: 'known', claims: admin });
    expect((await me(bearer('known-admin'), replica)).json.role).toBe('member');
    expect((await me(bearer('namesake'), replica)).json).toMatchObject({ role: 'admin' });
    const user = await usersOf(plane.store).bySubject(issuer, 'known');
    await usersOf(plane.store).change(user?.id ?? '', { role: 'admin' }, Date.now());
    expect((await me(bearer('known-admin'), replica)).json.role).toBe('admin');
    await disable(issuer, 'known');
    expect((await me(bearer('known-admin'), replica)).status).toBe(403);
    expect((await me(bearer('namesake'), replica)).status).toBe(200);
  });

  test('are verified again at once after an outage, during which nobody is accepted', async () => {
    service.know('patient', { sub: 'pat' });
    service.fail('status-503');
    const answer = await me(bearer('patient'), replica);
    expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect(answer.headers.get('retry-after')).not.toBeNull();
    const browser = replica.browser();
    await browser.signIn('ada');
    expect((await me({ ...browser.headers(), ...bearer('patient') }, replica)).status).toBe(503);
    expect((await me(browser.headers(), replica)).status).toBe(200);
    service.fail(undefined);
    expect((await me(bearer('patient'), replica)).status).toBe(200);
    service.fail('status-503');
    expect((await me(bearer('patient'), replica)).status).toBe(200);
    service.fail(undefined);
  });

  test('that were refused stay refused for half a minute', async () => {
    expect((await me(bearer('late'), replica)).status).toBe(401);
    service.know('late', { sub: 'late' });
    expect((await me(bearer('late'), replica)).status).toBe(401);
    expect(service.calls('validate', 'late')).toBe(1);
    plane.pass(30_001);
    expect((await me(bearer('late'), replica)).status).toBe(200);
  });

  test('are verified a few at a time, until too many were refused', async () => {
    const rate = { CAIRN_TOKEN_FAILURE_RATE: '3/1h' };
    const mode = asking();
    const guessed = await plane.replica({ ...mode, ...rate }, '192.0.2.98');
    const before = service.calls('validate');
    const guesses = Array.from({ length: 200 }, (_, n) => me(bearer(`guess-${n}`), guessed));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(service.calls('validate') - before).toBeLessThan(20);
  });

  test('may be used concurrently if they are accepted, the same one or others', async () => {
    const rate = { CAIRN_TOKEN_FAILURE_RATE: '3/1h' };
    const mode = asking();
    const busy = await plane.replica({ ...mode, ...rate }, '192.0.2.97');
    const names = Array.from({ length: 60 }, (_, n) => `busy-${n}`);
    for (const name of names) service.know(name, { sub: name });
    const asked = [...names, ...names.map(() => 'busy-0')].map((name) => me(bearer(name), busy));
    expect((await Promise.all(asked)).every(({ status }) => status === 200)).toBe(true);
    expect(service.calls('validate', 'busy-0')).toBe(1);
  });

  test('are the only tokens: ID tokens are refused, and the device configuration is hidden', async () => {
    expect((await me(bearer(await plane.provider.idToken()), replica)).status).toBe(401);
    expect((await me(bearer('member'))).status).toBe(401);
    expect((await replica.send('GET', '/v1/auth/device-config')).status).toBe(404);
    expect((await replica.send('GET', '/v1/auth/providers')).json).toMatchObject({
      auth_enabled: true,
      providers: [{ id: 'idp' }],
      bearer: { enabled: true, mode: 'auth_service' },
    });
  });

  test('are verified at the adapter by default', async () => {
    const adapter = await plane.replica({
      ...variables({ BEARER_MODE: 'auth_service' }),
      CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL: service.url,
      CAIRN_AUTH_SERVICE_ISSUER: service.url,
    });
    expect((await me(bearer('member'), adapter)).json.subject).toBe('mia');
  });
});

describe('without authentication', () => {
  test('every caller on this machine is an anonymous administrator', async () => {
    const open = await plane.replica(variables({ ENABLED: 'false' }));
    const local = { host: '127.0.0.1' };
    const answer = await open.app.request('http://127.0.0.1/v1/me', { headers: local });
    expect(await answer.json()).toEqual({
      issuer: 'disabled',
      subject: null,
      role: 'admin',
      role_source: 'disabled',
      means: 'disabled',
      user: null,
      session: null,
    });
    expect((await open.app.request('http://127.0.0.1/v1/users', { headers: local })).status).toBe(200);
    const logout = { method: 'POST', headers: local };
    expect((await open.app.request('http://127.0.0.1/v1/auth/logout', logout)).status).toBe(204);
    expect((await open.send('GET', '/v1/me')).status).toBe(403);
    const foreign = { headers: { ...local, origin: 'https://evil.example' } };
    expect((await open.app.request('http://127.0.0.1/v1/me', foreign)).status).toBe(403);
    expect(
      (await open.app.request('http://127.0.0.1/v1/auth/login?provider=idp', { headers: local })).status,
    ).toBe(404);
  });
});
