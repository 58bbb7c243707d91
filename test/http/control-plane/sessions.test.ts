import { describe, expect, test } from 'vitest';
import { changeUser } from '../../../src/domain/control-plane/administrators.ts';
import { sessionKey } from '../../../src/domain/control-plane/sessions.ts';
import { administrationOf, sessionsOf, usersOf } from '../../contract/nouns.ts';
import { origin, type Replica, usePlane, variables } from './plane.ts';

const plane = usePlane();
const hour = 3_600_000;

async function signedIn(subject: string, replica: Replica = plane.main) {
  plane.provider.setAccount(subject, { email: `${subject}@example.com`, email_verified: true });
  const browser = replica.browser();
  await browser.signIn(subject);
  return browser;
}

const me = async (headers: Record<string, string>, replica = plane.main) =>
  await replica.send('GET', '/v1/me', headers);

describe('a session', () => {
  test('ends after its idle timeout', async () => {
    const browser = await signedIn('idle');
    plane.pass(1.9 * hour);
    const { json } = await me(browser.headers());
    const end = Date.parse(json.session.idle_expires_at);
    plane.pass(1.9 * hour);
    expect((await me(browser.headers())).status).toBe(200);
    plane.pass(2 * hour);
    expect(end).toBeLessThan(Date.parse(json.session.expires_at));
    const over = await me(browser.headers());
    expect(over).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    expect(over.json.error).toContain('has ended');
  });

  test('is not prolonged by refused requests', async () => {
    const browser = await signedIn('ridden');
    const { cookie = '' } = browser.headers();
    plane.pass(1.9 * hour);
    const foreign = { ...browser.headers('POST'), origin: 'https://evil.example' };
    for (const headers of [{ cookie }, foreign])
      expect((await plane.main.send('POST', '/v1/auth/logout', headers)).status).toBe(403);
    const planted = { cookie: `${cookie}; svc_session=${(await signedIn('planter')).cookie('svc_session')}` };
    expect((await me(planted)).status).toBe(401);
    plane.pass(0.2 * hour);
    expect((await me({ cookie })).status).toBe(401);
  });

  test('ends after its maximum age, even if it is used', async () => {
    const browser = await signedIn('busy');
    for (let hours = 0; hours < 11; hours += 1) {
      plane.pass(hour);
      expect((await me(browser.headers())).status).toBe(200);
    }
    plane.pass(hour);
    expect((await me(browser.headers())).status).toBe(401);
  });

  test('ends sooner after its limits were shortened', async () => {
    const browser = await signedIn('shortened');
    const strict = await plane.replica(variables({ SESSION_MAX_AGE: '1h', SESSION_IDLE_TIMEOUT: '10m' }));
    expect((await me(browser.headers(), strict)).status).toBe(200);
    plane.pass(11 * 60_000);
    expect((await me(browser.headers(), strict)).status).toBe(401);
    expect((await me(browser.headers())).status).toBe(200);
  });

  test('ends everywhere after a sign-out, also for a thief of its id', async () => {
    const other = await plane.replica();
    const browser = await signedIn('leaving');
    const stolen = browser.headers('POST');
    expect((await me(stolen, other)).status).toBe(200);
    const answer = await plane.main.send('POST', '/v1/auth/logout', browser.headers('POST'));
    expect(answer.status).toBe(204);
    const lines = answer.headers.getSetCookie();
    expect(lines).toEqual([
      expect.stringMatching(/^svc_session=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^svc_csrf=; Max-Age=0; Path=\/; Secure; SameSite=Lax$/),
    ]);
    for (const replica of [plane.main, other]) {
      expect((await me(stolen, replica)).status).toBe(401);
      expect((await replica.send('POST', '/v1/auth/logout', stolen)).status).toBe(401);
    }
  });

  test('ends everywhere when its user is disabled, and does not return', async () => {
    const other = await plane.replica();
    const browser = await signedIn('banned');
    expect((await me(browser.headers(), other)).status).toBe(200);
    const id = (await me(browser.headers())).json.user.id;
    const ports = administrationOf(plane.store, () => new Date());
    await changeUser(ports, id, { disabled: true });
    for (const replica of [other, plane.main])
      expect((await me(browser.headers(), replica)).status).toBe(401);
    await changeUser(ports, id, { disabled: false });
    expect((await me(browser.headers(), other)).status).toBe(401);
  });

  test('survives changes of its user that were refused or do not disable the user', async () => {
    const browser = await signedIn('only-admin');
    const { user } = (await me(browser.headers())).json;
    await usersOf(plane.store).change(user.id, { role: 'admin' }, Date.now());
    const { records } = await usersOf(plane.store).list(
      { email: null, role: 'admin', disabled: false },
      { after: null, limit: 1_000 },
    );
    for (const { id } of records.filter(({ id: other }) => other !== user.id))
      await usersOf(plane.store).change(id, { role: 'member' }, Date.now());
    const patch = async (body: unknown) =>
      (await plane.main.send('PATCH', `/v1/users/${user.id}`, browser.headers('PATCH'), body)).status;
    expect(await patch({ role: 'member', disabled: false })).toBe(409);
    expect(await patch({ name: 'Ada', disabled: false })).toBe(200);
    expect((await me(browser.headers())).json.user.name).toBe('Ada');
  });

  test('has the current role of its user', async () => {
    const browser = await signedIn('promoted');
    const { role, user } = (await me(browser.headers())).json;
    expect(role).toBe('member');
    await usersOf(plane.store).change(user.id, { role: 'admin' }, Date.now());
    expect((await me(browser.headers())).json.role).toBe('admin');
    expect((await plane.main.send('GET', '/v1/users', browser.headers())).status).toBe(200);
  });

  test('is refused after the issuer has changed', async () => {
    const browser = await signedIn('moved');
    const moved = await plane.replica(variables({ IDP_ISSUER_URL: 'https://other.example' }));
    expect((await me(browser.headers(), moved)).status).toBe(401);
    expect((await me(browser.headers())).status).toBe(200);
  });

  test('is refused if sign-in by browser is disabled', async () => {
    const browser = await signedIn('elsewhere');
    const tools = await plane.replica(variables({ IDP_ENABLED: 'false' }));
    expect((await me(browser.headers(), tools)).status).toBe(401);
    expect((await tools.send('GET', '/v1/auth/login?provider=idp')).status).toBe(404);
    expect((await tools.send('GET', '/v1/auth/providers')).json).toMatchObject({ providers: [] });
  });
});

describe('a change with a session', () => {
  const logout = async (headers: Record<string, string>) =>
    await plane.main.send('POST', '/v1/auth/logout', headers);

  test('needs its CSRF token as header and as cookie', async () => {
    const [browser, stranger] = [await signedIn('careful'), await signedIn('stranger')];
    const { cookie = '', 'x-csrf-token': token = '' } = browser.headers('POST');
    const session = `svc_session=${browser.cookie('svc_session')}`;
    const foreign = stranger.cookie('svc_csrf') ?? '';
    const refused: Record<string, string>[] = [
      { cookie },
      { cookie, 'x-csrf-token': '' },
      { cookie, 'x-csrf-token': `${token.slice(0, -1)}_` },
      { cookie, 'x-csrf-token': 'x'.repeat(10_000) },
      { cookie: session, 'x-csrf-token': token },
      { cookie: `${session}; svc_csrf=${foreign}`, 'x-csrf-token': foreign },
      { cookie: `${session}; svc_csrf=x`, 'x-csrf-token': 'x' },
      { cookie: `${session}; svc_csrf=`, 'x-csrf-token': '' },
    ];
    const logged = plane.log.length;
    for (const headers of refused) expect((await logout(headers)).json).toMatchObject({ code: 'forbidden' });
    const reasons = plane.log.slice(logged).filter((line) => line.includes('wrong_csrf_token'));
    expect(reasons).toHaveLength(refused.length);
    expect((await me({ cookie })).status).toBe(200);
    expect((await logout({ cookie, 'x-csrf-token': token })).status).toBe(204);
  });

  test('must come from a page of this service', async () => {
    const browser = await signedIn('tricked');
    const headers = browser.headers('POST');
    for (const foreign of [
      'https://evil.example',
      'null',
      `${origin}.evil.example`,
      `http://plane.example`,
      `${origin}:8443`,
    ])
      expect((await logout({ ...headers, origin: foreign })).json).toMatchObject({ code: 'forbidden' });
    expect((await logout({ ...headers, origin })).status).toBe(204);
  });

  test('may come from a user interface at another origin', async () => {
    const ui = 'https://console.example/app';
    const replica = await plane.replica(variables({ UI_BASE_URL: ui }));
    const browser = replica.browser();
    const end = await browser.signIn('tricked');
    expect(end.url.href).toBe(ui);
    const headers = { ...browser.headers('POST'), origin: 'https://console.example' };
    expect((await replica.send('POST', '/v1/auth/logout', headers)).status).toBe(204);
  });
});

describe('several cookies with one name', () => {
  const named = (name: string, ...values: (string | undefined)[]) =>
    values.map((value) => `${name}=${value}`).join('; ');

  test('do not hide the ongoing session, in any order', async () => {
    const [before, browser] = [await signedIn('moved'), await signedIn('moved')];
    const old = before.cookie('svc_session');
    await plane.main.send('POST', '/v1/auth/logout', before.headers('POST'));
    const current = browser.cookie('svc_session');
    for (const values of [
      [old, current],
      [current, old],
      ['x', current, current],
    ])
      expect((await me({ cookie: named('svc_session', ...values) })).json.subject).toBe('moved');
    const headers = browser.headers('POST');
    const tokens = named('svc_csrf', before.cookie('svc_csrf'), browser.cookie('svc_csrf'));
    const cookie = `${named('svc_session', old, current)}; ${tokens}`;
    expect((await plane.main.send('POST', '/v1/auth/logout', { ...headers, cookie })).status).toBe(204);
    expect((await me(headers)).status).toBe(401);
  });

  test('are ignored if they are malformed, however many they are', async () => {
    const browser = plane.main.browser();
    await browser.signIn('ada');
    const garbage = (name: string) => Array.from({ length: 16 }, (_, n) => `${name}=garbage-${n}`).join('; ');
    const { cookie = '', ...headers } = browser.headers('POST');
    const padded = `${garbage('svc_session')}; ${garbage('svc_csrf')}; ${cookie}`;
    expect((await plane.main.send('GET', '/v1/me', { cookie: padded })).status).toBe(200);
    expect((await plane.main.send('POST', '/v1/auth/logout', { ...headers, cookie: padded })).status).toBe(
      204,
    );
  });

  test('are refused if several sessions are ongoing, because another site may have planted one', async () => {
    const [browser, attacker] = [await signedIn('planted-on'), await signedIn('planter')];
    const [own, planted] = [browser.cookie('svc_session'), attacker.cookie('svc_session')];
    for (const values of [
      [own, planted],
      [planted, own],
    ])
      expect((await me({ cookie: named('svc_session', ...values) })).status).toBe(401);
    const address = await browser.authorize('planted-on');
    const others = [...browser.visitor.cookies(address)].map(([name, value]) => named(name, value));
    const cookie = [named('svc_session', planted), ...others].join('; ');
    const answer = await plane.main.send('GET', `${address.pathname}${address.search}`, { cookie });
    expect(answer.status).toBe(302);
    const [line = ''] = answer.headers.getSetCookie().filter((one) => one.startsWith('svc_session='));
    const fresh = line.slice('svc_session='.length, line.indexOf(';'));
    for (const over of [own, planted])
      expect((await me({ cookie: named('svc_session', over) })).status).toBe(401);
    expect((await me({ cookie: named('svc_session', planted, own, fresh) })).json.subject).toBe('planted-on');
  });

  test('are removed if they are from before the cookies had a domain', async () => {
    const replica = await plane.replica(variables({ COOKIE_DOMAIN: 'plane.example' }));
    const browser = replica.browser();
    const address = await browser.authorize('domain');
    const others = [...browser.visitor.cookies(address)].map(([name, value]) => named(name, value));
    const headers = { cookie: others.join('; ') };
    const answer = await replica.send('GET', `${address.pathname}${address.search}`, headers);
    const lines = answer.headers.getSetCookie().filter((one) => /^svc_(?:session|csrf)=;/.test(one));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^svc_\w+=; Max-Age=0; Path=\/; /);
  });
});

describe('invalid cookies', () => {
  test.each([
    ['too long', `svc_session=${'x'.repeat(5_000)}`],
    ['of another form', 'svc_session=../../etc/passwd'],
    ['made up', `svc_session=${'A'.repeat(43)}`],
    ['empty', 'svc_session='],
    ['in percents', 'svc_session=%00%zz'],
  ])('identify nobody: %s', async (_name, cookie) => {
    expect((await me({ cookie })).status).toBe(401);
    expect((await plane.main.send('GET', '/v1/auth/providers', { cookie })).status).toBe(200);
  });

  test('of sign-ins do not prevent a sign-in', async () => {
    const junk = ['a', 'b', 'c'].map((one) => `svc_signin_${one.repeat(22)}=${'y'.repeat(4_200)}`);
    const cookie = [...junk, 'svc_signin_(odd)=1', 'svc_signin_=2'].join('; ');
    const answer = await plane.main.send('GET', '/v1/auth/login?provider=idp', { cookie });
    expect(answer.status).toBe(302);
    expect(new URL(answer.headers.get('location') ?? '').origin).toBe(plane.provider.issuer);
    expect(answer.headers.getSetCookie().filter((line) => line.includes('Max-Age=0'))).toHaveLength(3);
  });
});

test('a stored session reveals neither its id nor the ID token', async () => {
  const browser = await signedIn('kept');
  const id = browser.cookie('svc_session') ?? '';
  const session = await sessionsOf(plane.store).get(sessionKey(id) ?? '');
  expect(session).toMatchObject({ subject: 'kept', sealedTokens: expect.stringMatching(/^eyJ[\w-]+\.\./) });
  expect(JSON.stringify(session)).not.toContain(id);
  expect(session?.sealedTokens).not.toContain(Buffer.from('{"iss').toString('base64url'));
  expect(await sessionsOf(plane.store).get(id)).toBeUndefined();
  expect(plane.log.join()).not.toContain(id);
});
