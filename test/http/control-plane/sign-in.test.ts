import { describe, expect, test } from 'vitest';
import { appointAdministrator } from '../../../src/domain/control-plane/administrators.ts';
import { type Account, startProvider, type TestProvider } from '../../access/provider.ts';
import { administrationOf, usersOf } from '../../contract/nouns.ts';
import { origin, type Replica, secret, usePlane, variables } from './plane.ts';

const plane = usePlane();
const callbackPath = '/v1/auth/callback/idp';
const wantsJson = { accept: 'application/json' };

/** The answer to a callback with the cookies of a browser, without following redirects. */
async function callback(browser: ReturnType<typeof plane.main.browser>, address: URL, headers = {}) {
  const cookie = [...browser.visitor.cookies(address)].map(([name, value]) => `${name}=${value}`).join('; ');
  return await plane.main.send('GET', `${address.pathname}${address.search}`, { cookie, ...headers });
}

describe('signing in by browser', () => {
  test('goes to the provider and returns with a session', async () => {
    plane.provider.setAccount('ada', {
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
    });
    const browser = plane.main.browser();
    const address = await browser.begin();
    expect(address.origin).toBe(plane.provider.issuer);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: plane.provider.browserClient.id,
      redirect_uri: `${origin}${callbackPath}`,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    const end = await browser.comeBack(await browser.authorize('ada', address));
    expect(end.url.href).toBe(`${origin}/ui/account`);
    const me = await plane.main.send('GET', '/v1/me', browser.headers());
    expect(me).toMatchObject({
      status: 200,
      json: {
        issuer: plane.provider.issuer,
        subject: 'ada',
        role: 'member',
        means: 'session',
        user: { name: 'Ada Lovelace', email: 'ada@example.com', email_verified: true },
        session: { expires_at: expect.any(String), idle_expires_at: expect.any(String) },
      },
    });
    expect(me.headers.get('cache-control')).toBe('no-store');
  });

  test('sets cookies that scripts, plain connections and other sites do not get', async () => {
    const browser = plane.main.browser();
    const answer = await callback(browser, await browser.authorize('ada'));
    expect(answer.status).toBe(302);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const lines = answer.headers.getSetCookie();
    const [session = '', csrf = ''] = ['svc_session=', 'svc_csrf='].map((name) =>
      lines.find((line) => line.startsWith(name)),
    );
    expect(session).toMatch(
      /^svc_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(csrf).toMatch(/^svc_csrf=[\w-]{43}; Max-Age=43200; Path=\/; Secure; SameSite=Lax$/);
    expect(lines.find((line) => line.startsWith('svc_signin_'))).toMatch(
      /Max-Age=0; Path=\/v1\/auth\/; HttpOnly/,
    );
  });

  test('works in two tabs at once, in any order', async () => {
    const browser = plane.main.browser();
    const [first, second] = [await browser.begin('&return_to=/ui/lineage'), await browser.begin()];
    const [one, other] = [await browser.authorize('ada', first), await browser.authorize('ada', second)];
    expect((await callback(browser, other)).headers.get('location')).toBe(`${origin}/ui`);
    expect((await callback(browser, one)).headers.get('location')).toBe(`${origin}/ui/lineage`);
  });

  test('remembers the last five open sign-ins', async () => {
    const browser = plane.main.browser();
    const addresses: URL[] = [];
    for (let tab = 0; tab < 7; tab += 1) {
      addresses.push(await browser.begin());
      plane.pass(1_000);
    }
    const open = [...browser.visitor.cookies(`${origin}/v1/auth/login`).keys()];
    expect(open.filter((name) => name.startsWith('svc_signin_'))).toHaveLength(5);
    const [oldest, newest] = [addresses[0], addresses[6]];
    expect((await browser.comeBack(await browser.authorize('ada', oldest))).url.search).toBe(
      '?error=expired',
    );
    expect((await browser.comeBack(await browser.authorize('ada', newest))).url.pathname).toBe('/ui/account');
  });

  test('creates a new session each time, and ends the former one', async () => {
    const browser = plane.main.browser();
    await browser.signIn('ada');
    const before = { cookie: `svc_session=${browser.cookie('svc_session')}` };
    expect((await plane.main.send('GET', '/v1/me', before)).status).toBe(200);
    await browser.signIn('ada');
    expect((await plane.main.send('GET', '/v1/me', before)).status).toBe(401);
    expect((await plane.main.send('GET', '/v1/me', browser.headers())).status).toBe(200);
  });

  test('never adopts a planted session id', async () => {
    const browser = plane.main.browser();
    const planted = 'A'.repeat(43);
    const address = await browser.authorize('ada');
    const cookies = [...browser.visitor.cookies(address)].map(([name, value]) => `${name}=${value}`);
    const answer = await plane.main.send('GET', `${address.pathname}${address.search}`, {
      cookie: [...cookies, `svc_session=${planted}`].join('; '),
    });
    expect(answer.headers.getSetCookie().join()).not.toContain(planted);
    expect((await plane.main.send('GET', '/v1/me', { cookie: `svc_session=${planted}` })).status).toBe(401);
  });

  test.each([
    ['https://evil.example/'],
    ['//evil.example'],
    ['/\\evil.example'],
    ['https://plane.example@evil.example/ui'],
    ['/%2f%2fevil.example'],
    ['/ui/../v1/me'],
    ['javascript:alert(1)'],
  ])('returns only to the user interface: %s', async (asked) => {
    const browser = plane.main.browser();
    const address = await browser.authorize(
      'ada',
      await browser.begin(`&return_to=${encodeURIComponent(asked)}`),
    );
    expect((await callback(browser, address)).headers.get('location')).toBe(`${origin}/ui`);
  });

  test('ignores names with control characters or lone surrogates', async () => {
    for (const odd of ['Ada\u001b[2J', 'Ada\nadmin', 'Ada\ud800']) {
      plane.provider.setAccount('odd', { email: `${odd}@example.com`, email_verified: true, name: odd });
      const browser = plane.main.browser();
      await browser.signIn('odd');
      const { user } = (await plane.main.send('GET', '/v1/me', browser.headers())).json;
      expect(user).toMatchObject({ name: null, email: null, email_verified: false });
    }
  });

  test('refuses other providers', async () => {
    for (const path of ['/v1/auth/login?provider=other', '/v1/auth/callback/other?code=a&state=b'])
      expect((await plane.main.send('GET', path)).json).toMatchObject({ code: 'not_found' });
    expect((await plane.main.send('GET', '/v1/auth/login')).status).toBe(400);
  });

  test('authenticates the client in the body if the provider wants that', async () => {
    const redirectUris = [`${origin}${callbackPath}`];
    await using other = await startProvider({ redirectUris, takesSecretInBody: true });
    const replica = await plane.replica(variables({ IDP_ISSUER_URL: other.issuer }));
    const browser = replica.browser(other);
    await browser.signIn('eve');
    expect((await replica.send('GET', '/v1/me', browser.headers())).json.subject).toBe('eve');
  });

  test('works behind a proxy with another address', async () => {
    const outside = `${origin}/plane`;
    const replica = await plane.replica(variables({ IDP_REDIRECT_URL: `${outside}${callbackPath}` }));
    const { providers } = (await replica.send('GET', '/v1/auth/providers')).json;
    expect(providers[0].login_url).toBe(`${outside}/v1/auth/login?provider=idp`);
    const answer = await replica.send('GET', '/v1/auth/login?provider=idp&return_to=/plane/ui/account');
    const address = new URL(answer.headers.get('location') ?? '');
    expect(address.searchParams.get('redirect_uri')).toBe(`${outside}${callbackPath}`);
    expect(answer.headers.getSetCookie()).toEqual([expect.stringContaining('; Path=/plane/v1/auth/;')]);
    const failed = await replica.send('GET', `${callbackPath}?state=x`);
    expect(failed.headers.get('location')).toBe(`${outside}/ui?error=expired`);
  });

  test('takes the e-mail from userinfo if the ID token has none', async () => {
    const redirectUris = [`${origin}${callbackPath}`];
    await using bare = await startProvider({ redirectUris, hasBareIdTokens: true });
    bare.setAccount('eva', { email: 'eva@example.com', email_verified: true, name: 'Eva' });
    const replica = await plane.replica(variables({ IDP_ISSUER_URL: bare.issuer }));
    const browser = replica.browser(bare);
    await browser.signIn('eva');
    expect((await replica.send('GET', '/v1/me', browser.headers())).json).toMatchObject({
      issuer: bare.issuer,
      user: { email: 'eva@example.com', email_verified: true, name: 'Eva' },
    });
    expect(bare.requests('/me')).toBe(1);

    const modest = await plane.replica(variables({ IDP_ISSUER_URL: bare.issuer, IDP_SCOPES: 'openid' }));
    const again = modest.browser(bare);
    await again.signIn('eva');
    expect((await modest.send('GET', '/v1/me', again.headers())).json.user).toMatchObject({ email: null });
    expect(bare.requests('/me')).toBe(1);
  });
});

describe('a sign-in fails', () => {
  const failed = async (answer: Awaited<ReturnType<typeof callback>>, problem: string) => {
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(`${origin}/ui?error=${problem}`);
    expect(answer.headers.getSetCookie().join()).not.toContain('svc_session');
  };

  test('with a wrong or missing state, or that of another browser', async () => {
    const [browser, other] = [plane.main.browser(), plane.main.browser()];
    const address = await browser.authorize('ada');
    await failed(await callback(other, address), 'expired');
    const wrong = new URL(address);
    wrong.searchParams.set('state', 'wrong');
    await failed(await callback(browser, wrong), 'expired');
    wrong.searchParams.delete('state');
    await failed(await callback(browser, wrong), 'expired');
    const mine = await other.begin();
    wrong.searchParams.set('state', mine.searchParams.get('state') ?? '');
    await failed(await callback(other, wrong), 'failed');
  });

  test('with a cookie of another sign-in', async () => {
    const browser = plane.main.browser();
    const [first, second] = [await browser.begin(), await browser.begin()];
    const [one = '', other = ''] = [...browser.visitor.cookies(`${origin}${callbackPath}`)].map(
      ([name, value]) => `${name}=${value}`,
    );
    const swapped = `${one.slice(0, one.indexOf('='))}${other.slice(other.indexOf('='))}`;
    for (const address of [first, second]) {
      const state = address.searchParams.get('state');
      await failed(
        await plane.main.send('GET', `${callbackPath}?code=x&state=${state}`, { cookie: swapped }),
        'expired',
      );
    }
  });

  test('when the callback is replayed', async () => {
    const browser = plane.main.browser();
    const address = await browser.authorize('ada');
    const cookie = [...browser.visitor.cookies(address)]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    await browser.comeBack(address);
    await failed(await callback(browser, address), 'expired');
    // A thief who copied the cookies before cannot use the code again either.
    await failed(await plane.main.send('GET', `${address.pathname}${address.search}`, { cookie }), 'failed');
  });

  test('when it takes longer than ten minutes', async () => {
    const browser = plane.main.browser();
    const address = await browser.authorize('ada');
    plane.pass(601_000);
    await failed(await callback(browser, address), 'expired');
  });

  test('when the answer names another issuer', async () => {
    const browser = plane.main.browser();
    const address = await browser.authorize('ada');
    expect(address.searchParams.get('iss')).toBe(plane.provider.issuer);
    address.searchParams.set('iss', 'https://evil.example');
    await failed(await callback(browser, address), 'failed');
  });

  test('when the code is not from the provider', async () => {
    const browser = plane.main.browser();
    const address = await browser.authorize('ada');
    address.searchParams.set('code', 'made-up');
    await failed(await callback(browser, address), 'failed');
  });

  test('when the answer belongs to an unknown flow', async () => {
    for (const [name, value] of [
      ['id_token', 'eyJ'],
      ['response', 'eyJ'],
    ] as const) {
      const browser = plane.main.browser();
      const address = await browser.authorize('ada');
      address.searchParams.set(name, value);
      await failed(await callback(browser, address), 'failed');
    }
  });

  test('when it is cancelled at the provider', async () => {
    const browser = plane.main.browser();
    const address = await plane.provider.cancel(await browser.begin(), browser.visitor);
    expect(address.searchParams.get('error')).toBe('access_denied');
    await failed(await callback(browser, address), 'cancelled');
  });

  test('when the provider answers with its own error, which is not shown', async () => {
    const browser = plane.main.browser();
    const state = (await browser.begin()).searchParams.get('state');
    const issuer = encodeURIComponent(plane.provider.issuer);
    const problem = 'error=server_error&error_description=%3Cscript%3Ealert(1)%3C/script%3E';
    const address = new URL(`${origin}${callbackPath}?${problem}&state=${state}&iss=${issuer}`);
    await failed(await callback(browser, address), 'failed');
    expect(plane.log.join()).not.toContain('<script>');
  });

  test('when the provider is unavailable, before and after', async () => {
    const replica = await plane.replica();
    const browser = plane.main.browser();
    const address = await browser.authorize('ada');
    await plane.provider.stop();
    try {
      await failed(await callback(browser, address), 'unavailable');
      await failed(await replica.send('GET', '/v1/auth/login?provider=idp'), 'unavailable');
      const json = await replica.send('GET', '/v1/auth/login?provider=idp', wantsJson);
      expect(json).toMatchObject({ status: 503, json: { code: 'unavailable' } });
      expect(json.headers.get('retry-after')).toBe('5');
    } finally {
      await plane.provider.start();
    }
  });

  test('with JSON for callers that accept only JSON', async () => {
    const browser = plane.main.browser();
    const address = await browser.authorize('ada');
    const answer = await callback(plane.main.browser(), address, wantsJson);
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
    expect((await callback(browser, address, { accept: 'text/html,application/json' })).status).toBe(302);
  });

  test('with an e-mail that is of another domain or not verified', async () => {
    const replica = await plane.replica(variables({ ALLOWED_EMAIL_DOMAINS: 'example.com,Example.org' }));
    const end = async (subject: string, account: Account) => {
      plane.provider.setAccount(subject, account);
      return (await replica.browser().signIn(subject)).url.search;
    };
    expect(await end('in', { email: 'in@EXAMPLE.org', email_verified: true })).toBe('');
    expect(await end('foreign', { email: 'x@evil.example', email_verified: true })).toBe('?error=refused');
    expect(await end('below', { email: 'x@sub.example.com', email_verified: true })).toBe('?error=refused');
    expect(await end('fake', { email: 'x@evil.example@example.com', email_verified: true })).toBe(
      '?error=refused',
    );
    expect(await end('unproven', { email: 'x@example.com', email_verified: false })).toBe('?error=refused');
    expect(await end('text', { email: 'x@example.com', email_verified: 'true' })).toBe('?error=refused');
    expect(await end('list', { email: ['x@example.com'], email_verified: true })).toBe('?error=refused');
    expect(await end('null', { email: 'x@example.com\u0000', email_verified: true })).toBe('?error=refused');
    expect(await end('none', {})).toBe('?error=refused');
  });

  test('for a disabled user', async () => {
    plane.provider.setAccount('gone', { email: 'gone@example.com', email_verified: true });
    const browser = plane.main.browser();
    await browser.signIn('gone');
    const user = await usersOf(plane.store).bySubject(plane.provider.issuer, 'gone');
    await usersOf(plane.store).records.update(user?.id ?? '', {}, { disabled: true });
    expect((await plane.main.send('GET', '/v1/me', browser.headers())).status).toBe(403);
    expect((await plane.main.browser().signIn('gone')).url.search).toBe('?error=refused');
  });
});

test('the first user with the verified bootstrap e-mail becomes administrator, and nobody else', async () => {
  const replica = await plane.replica(variables({ BOOTSTRAP_ADMIN_EMAIL: 'Root@example.com' }));
  const role = async (subject: string, account: Account) => {
    plane.provider.setAccount(subject, account);
    const browser = replica.browser();
    await browser.signIn(subject);
    return (await replica.send('GET', '/v1/me', browser.headers())).json.role;
  };
  expect(await role('unproven-root', { email: 'root@example.com', email_verified: false })).toBe('member');
  expect(await role('root', { email: 'root@example.com', email_verified: true })).toBe('admin');
  expect(await role('second-root', { email: 'root@example.com', email_verified: true })).toBe('member');
  expect(await role('root', { email: 'renamed@example.com', email_verified: true })).toBe('admin');
});

test('after a change of the provider the operator makes an administrator of somebody who has signed in there', async () => {
  const root = { email: 'chief@example.com', email_verified: true };
  const role = async (process: Replica, provider: TestProvider, subject: string) => {
    provider.setAccount(subject, root);
    const browser = process.browser(provider);
    await browser.signIn(subject);
    return (await process.send('GET', '/v1/me', browser.headers())).json.role;
  };
  const first = variables({ BOOTSTRAP_ADMIN_EMAIL: root.email });
  expect(await role(await plane.replica(first), plane.provider, 'chief')).toBe('admin');
  await using provider = await startProvider({ redirectUris: [`${origin}${callbackPath}`] });
  const changed = await plane.replica({ ...first, ...variables({ IDP_ISSUER_URL: provider.issuer }) });
  // The bootstrap e-mail has been used, and whoever has it at another provider may be somebody else.
  expect(await role(changed, provider, 'chief')).toBe('member');
  const ports = administrationOf(plane.store, () => new Date());
  await expect(appointAdministrator(ports, 'stranger@example.com')).rejects.toMatchObject({
    code: 'not_found',
  });
  const appointed = await appointAdministrator(ports, 'Chief@example.com');
  expect(appointed).toMatchObject({ issuer: provider.issuer, subject: 'chief', role: 'admin' });
  expect(await role(changed, provider, 'chief')).toBe('admin');
});

test('sign-ins and callbacks are rate-limited per address', async () => {
  const replica = await plane.replica(
    { CAIRN_LOGIN_RATE: '2/1m', CAIRN_CALLBACK_RATE: '1/1m' },
    '192.0.2.77',
  );
  const paths = [
    '/v1/auth/login?provider=idp',
    '/v1/auth/login?provider=idp',
    '/v1/auth/callback/idp?state=x',
  ];
  for (const path of paths) expect((await replica.send('GET', path)).status).toBe(302);
  for (const path of paths.slice(1)) {
    const answer = await replica.send('GET', path);
    expect(answer).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

test('cookies can have a domain and can be sent without TLS if configured', async () => {
  const replica = await plane.replica(variables({ COOKIE_DOMAIN: 'plane.example', COOKIE_SECURE: 'false' }));
  const browser = replica.browser();
  const address = await browser.authorize('ada');
  const cookie = [...browser.visitor.cookies(address)].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await replica.send('GET', `${address.pathname}${address.search}`, { cookie });
  const line = answer.headers.getSetCookie().find((one) => one.startsWith('svc_session')) ?? '';
  expect(line).toMatch(/; Domain=plane\.example;/);
  expect(line).not.toContain('Secure');
});

test('the log has no usable secrets', () => {
  const log = plane.log.join('\n');
  expect(log).toContain('A user has signed in.');
  expect(log).toContain('A sign-in has failed.');
  expect(log).not.toMatch(/eyJ|[?&"]code=|svc_session|[\w-]{43}/);
  expect(log).not.toContain(secret);
  expect(log).not.toContain(plane.provider.browserClient.secret);
});
