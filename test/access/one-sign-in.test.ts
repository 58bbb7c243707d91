import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { sessionsOf } from '../contract/nouns.ts';
import { type Browser, origin } from '../http/control-plane/plane.ts';
import { type OneSignIn, startOneSignIn } from './one-sign-in.ts';

const alpha = randomUUID();
const beta = randomUUID();
const all = ['view_project_data', 'create_declarations', 'create_projects'] as const;

async function signedIn(both: OneSignIn, subject: string): Promise<Browser> {
  const browser = both.browser();
  const end = await browser.signIn(subject);
  expect(end.url.href).toBe(`${origin}/ui`);
  return browser;
}

describe.each(['oidc', 'auth_service'] as const)('one sign-in, with CAIRN_AUTH_MODE=%s', (mode) => {
  let both: OneSignIn;
  let ada: Browser;
  let bob: Browser;
  const get = async (browser: Browser, path: string) => await both.send('GET', path, browser.headers());
  const graphsOf = async (headers: Record<string, string>) => {
    const { status, json } = await both.send('GET', '/graph/v1', headers);
    expect(status).toBe(200);
    return json.graphs.map(({ graph_id: id }: { graph_id: string }) => id).sort();
  };

  beforeAll(async () => {
    both = await startOneSignIn(mode);
    both.grant('ada', { '*': [...all, 'manage_configuration'], [alpha]: all, [beta]: all });
    both.grant('bob', { [alpha]: all });
    both.grant('eve', {});
    ada = await signedIn(both, 'ada');
    for (const id of [alpha, beta]) {
      const body = { graph_id: id, name: `graph ${id}` };
      expect((await both.send('PUT', '/graph/v1', ada.headers('PUT'), body)).status).toBe(201);
    }
    bob = await signedIn(both, 'bob');
  });
  afterAll(async () => await both[Symbol.asyncDispose]());

  test('a session has exactly the permissions of the bearer token', async () => {
    expect(await graphsOf(bob.headers())).toEqual([alpha]);
    expect(await graphsOf(bob.headers())).toEqual(await graphsOf(await both.asTool('bob')));
    expect(await graphsOf(ada.headers())).toEqual([alpha, beta].sort());
    const statement = ownStatement('DataRegistration', { data: [blobUrn('one sign-in')] });
    const store = async (graph: string, headers: Record<string, string>) =>
      (await both.send('PUT', '/statements/v1', headers, { statement, generate_id: true, graph_id: graph }))
        .status;
    expect(await store(alpha, bob.headers('PUT'))).toBeLessThan(300);
    expect(await store(beta, bob.headers('PUT'))).toBe(await store(beta, await both.asTool('bob')));
    expect((await get(bob, `/ui/graph/${beta}`)).status).toBe(404);
  });

  test('a session and a bearer token are the same user', async () => {
    const { user } = (await get(bob, '/v1/me')).json;
    await graphsOf(await both.asTool('bob'));
    const users = await both.send('GET', '/v1/users?email=bob@example.com', ada.headers());
    expect(users.json.users.map(({ id }: { id: string }) => id)).toEqual([user.id]);
  });

  test('a change needs the CSRF token and a page of this address', async () => {
    const change = async (headers: Record<string, string>) =>
      (await both.send('PUT', '/graph/v1', headers, { graph_id: alpha, name: 'again' })).json.code;
    const { cookie = '', ...csrf } = bob.headers('PUT');
    expect(await change({ cookie })).toBe('forbidden');
    expect(await change({ cookie, ...csrf, origin: 'https://evil.example' })).toBe('forbidden');
    expect(await change({ cookie, ...csrf, 'x-csrf-token': 'A'.repeat(43) })).toBe('forbidden');
    expect(await change({ cookie, ...csrf })).toBe('conflict');
  });

  test('a token in the request counts alone', async () => {
    const headers = { ...ada.headers(), authorization: 'Bearer wrong' };
    expect((await both.send('GET', '/graph/v1', headers)).status).toBe(401);
    expect(await graphsOf({ ...ada.headers(), ...(await both.asTool('bob')) })).toEqual([alpha]);
  });

  test('no token reaches the browser, and no answer to a session stays in its cache', async () => {
    const answers = [await get(bob, '/graph/v1'), await get(bob, '/ui'), await get(bob, '/v1/me')];
    for (const { text, headers } of answers) {
      expect(`${text}${JSON.stringify([...headers])}`).not.toMatch(/eyJ/);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    const [session] = (await sessionsOf(both.store).records.page('key', [], { after: null, limit: 1 }))
      .records;
    expect(Buffer.from(session?.sealedTokens?.split('.')[3] ?? '', 'base64url').toString()).not.toContain(
      'eyJ',
    );
    expect(both.log.join()).not.toMatch(/eyJ[\w-]+\.eyJ/);
  });

  test('without a session, pages lead to the sign-in page and back', async () => {
    const nobody = both.browser();
    const page = await nobody.visitor.open(`${origin}/ui/graph/${alpha}?from=link`);
    expect(page.url.href).toBe(
      `${origin}/ui/sign-in?return_to=${encodeURIComponent(`/ui/graph/${alpha}?from=link`)}`,
    );
    const [, login = ''] = /href="([^"]*\/v1\/auth\/login[^"]*)"/.exec(page.text) ?? [];
    const address = await nobody.visitor.open(login.replaceAll('&amp;', '&'));
    const end = await nobody.comeBack(await nobody.authorize('bob', address.url));
    expect(end.url.href).toBe(`${origin}/ui/graph/${alpha}?from=link`);
    expect((await both.send('GET', '/graph/v1')).json).toMatchObject({
      code: 'unauthorized',
      error: 'The caller is unknown. Sign in, or send a bearer token.',
    });
    expect((await both.send('GET', '/ui/files/page.css')).status).toBe(200);
  });

  test('pages name the user, with all names as text', async () => {
    both.provider.setAccount('mallory', { name: '<img src=x onerror=alert(1)> $& $1' });
    const mallory = await signedIn(both, 'mallory');
    for (const path of ['/ui', '/ui/lineage', '/ui/account', '/ui/agents', '/ui/nothing', '/docs']) {
      const { text } = await get(mallory, path);
      expect(text, path).toContain('>&lt;img src=x onerror=alert(1)&gt; $&amp; $1</a>');
      expect(text, path).not.toContain('<img src=x');
    }
  });

  test('a sign-out and a disabled user end the session in both services at once', async () => {
    const stolen = await signedIn(both, 'eve');
    const headers = stolen.headers();
    expect((await both.send('GET', '/graph/v1', headers)).status).toBe(200);
    expect((await both.send('POST', '/v1/auth/logout', stolen.headers('POST'))).status).toBe(204);
    for (const path of ['/graph/v1', '/v1/me', '/statements/v1'])
      expect((await both.send('GET', path, headers)).status).toBe(401);
    const again = await signedIn(both, 'eve');
    const { user } = (await get(again, '/v1/me')).json;
    const disabled = await both.send('PATCH', `/v1/users/${user.id}`, ada.headers('PATCH'), {
      disabled: true,
    });
    expect(disabled.status).toBe(200);
    expect((await get(again, '/graph/v1')).status).toBe(401);
    expect((await both.send('GET', '/graph/v1', await both.asTool('eve'))).status).toBe(403);
  });

  test('the API description has the session for operations of both services', async () => {
    const { paths } = (await both.send('GET', '/openapi.json')).json;
    expect(paths['/graph/v1'].get.security).toEqual([{ bearer: [] }, { session: [] }]);
  });

  test('the audit log says that a session acted', async () => {
    const { json } = await both.send('GET', '/v1/audit-log?action=PUT%20/graph/v1', ada.headers());
    expect(json.records[0]?.actor).toMatchObject({ issuer: both.provider.issuer, means: 'session' });
  });
});

describe('the tokens of a session', () => {
  let both: OneSignIn;
  let browser: Browser;
  const ask = async (path = '/graph/v1') => await both.send('GET', path, browser.headers());
  beforeAll(async () => {
    // They expire so soon that each request refreshes them.
    both = await startOneSignIn('oidc', { tokenSeconds: 5 });
    both.grant('bob', { [alpha]: all });
  });
  afterAll(async () => await both[Symbol.asyncDispose]());
  beforeEach(async () => {
    browser = await signedIn(both, 'bob');
  });

  test('are refreshed before they expire, with the permissions that the user has then', async () => {
    expect((await ask(`/graph/v1/${beta}`)).status).toBe(404);
    both.grant('bob', { [alpha]: all, '*': ['create_projects'] });
    const created = { graph_id: beta, name: 'beta' };
    expect((await both.send('PUT', '/graph/v1', browser.headers('PUT'), created)).status).toBe(201);
    expect((await Promise.all([ask(), ask(), ask()])).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('cannot be refreshed while the provider is down, and the session stays', async () => {
    await both.provider.stop();
    expect(await ask()).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect((await ask('/v1/me')).status).toBe(200);
    expect((await ask('/ui')).text).toContain('>bob</a>');
    await both.provider.start();
    expect((await ask()).status).toBe(200);
  });

  test('end the session in both services once the provider has withdrawn its grant', async () => {
    expect((await ask()).status).toBe(200);
    both.provider.withdrawGrants();
    expect(await ask()).toMatchObject({
      status: 401,
      json: { error: 'The provider has ended this sign-in. Sign in again.' },
    });
    expect((await ask('/v1/me')).status).toBe(401);
  });

  test('of another session secret are those of a session that has ended', async () => {
    const another = {
      CONTROL_PLANE_AUTH_STATE_SECRET: 'another secret of the tests, also longer than 32 bytes',
    };
    await expect(both.restart('integrity', another)).rejects.toThrow(
      'CONTROL_PLANE_AUTH_STATE_SECRET is not the secret with which the control plane on this store has started',
    );
    await both.restart('control-plane', another);
    await both.restart('integrity', another);
    for (const path of ['/graph/v1', '/v1/me'])
      expect(await ask(path)).toMatchObject({
        status: 401,
        json: { error: 'The session has ended. Sign in again.' },
      });
    browser = await signedIn(both, 'bob');
    expect((await ask()).status).toBe(200);
  });
});

test('tokens that are not for this service give no access, and the answer and the log say why', async () => {
  await using both = await startOneSignIn('oidc', { environment: { CAIRN_OIDC_AUDIENCE: 'another' } });
  const browser = await signedIn(both, 'bob');
  const { status, json } = await both.send('GET', '/graph/v1', browser.headers());
  expect(status).toBe(403);
  expect(json.error).toContain("the provider's token is not valid for this service (malformed)");
  expect((await both.send('GET', '/v1/me', browser.headers())).status).toBe(200);
  expect(both.log.join()).toContain('"reason":"malformed"');
});
