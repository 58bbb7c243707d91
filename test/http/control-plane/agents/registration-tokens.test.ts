import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { auditRecords } from '../../../../src/domain/audit-log/audit-log.ts';
import { bearer, origin, registrationSecret, usePlane, variables } from '../plane.ts';
import { mint, newAgentKey, register } from './registering.ts';

const path = '/v1/agent-registration-tokens';
const body = { agent_name: 'Build agent' };
const plane = usePlane();

describe('a registration token', () => {
  test('is a signed JWT with a type, an audience and 15 minutes to live', async () => {
    const { provider, main } = plane;
    const answer = await main.send('POST', path, bearer(await provider.idToken()), body);
    expect(answer.status).toBe(201);
    const { registration_token: token, agent_id, expires_at } = answer.json;
    expect(Object.keys(answer.json).toSorted()).toEqual([
      'agent_id',
      'command_template',
      'expires_at',
      'registration_token',
    ]);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'agent-registration+jwt' });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({
      iss: 'urn:cairn:control-plane',
      aud: 'urn:cairn:agent-registration',
      sub: 'ada',
      subject_issuer: provider.issuer,
      agent_id,
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(15 * 60);
    expect(Math.floor(Date.parse(expires_at) / 1_000)).toBe(claims.exp);
    expect(answer.headers.get('cache-control')).toContain('no-store');
  });

  test('is replaced by a variable in the command', async () => {
    const minted = await mint(plane.main, await plane.provider.idToken());
    expect(minted.command_template).toContain('$AGENT_PROVISIONING_TOKEN');
    expect(minted.command_template).toContain('cairn agents register');
    expect(minted.command_template).toContain(`CAIRN_URL='${origin}'`);
    expect(minted.command_template).not.toContain(minted.registration_token);
  });

  test('has the issuer of the setting', async () => {
    const replica = await plane.replica(variables({ REGISTRATION_TOKEN_ISSUER: 'https://issuer.example' }));
    const { registration_token: token } = await mint(replica, await plane.provider.idToken());
    expect(decodeJwt(token).iss).toBe('https://issuer.example');
    expect((await register(plane.main, token, newAgentKey())).json).toMatchObject({
      code: 'unauthorized',
      error: expect.stringContaining('another issuer'),
    });
  });

  test('is in no log and no audit record, which names who minted it', async () => {
    const { provider, main, store, log } = plane;
    const { registration_token: token, agent_id } = await mint(main, await provider.idToken(), {
      agent_handle: 'audited',
    });
    await register(main, token, newAgentKey());
    const { records } = await store.of(auditRecords).page('byTarget', [agent_id], { after: null, limit: 10 });
    expect(records.map(({ action, outcome, actor }) => [action, outcome, actor?.means])).toEqual([
      ['POST /v1/gateway/registrations', 'done', 'registration_token'],
      ['POST /v1/agent-registration-tokens', 'done', 'oidc_bearer'],
    ]);
    expect(records[1]?.details).toMatchObject({ agent_name: 'Build agent', agent_handle: 'audited' });
    const [, , signature = ''] = token.split('.');
    expect(JSON.stringify(records)).not.toContain(signature);
    expect(log.join('\n')).not.toContain(signature);
    expect(log.join('\n')).not.toContain(registrationSecret);
  });
});

describe('an agent_id', () => {
  test('is the same for a subject and handle, and another for anything else', async () => {
    const { provider, main } = plane;
    const ada = await provider.idToken();
    const bob = await provider.idToken({ claims: { sub: 'bob' } });
    const id = async (idToken: string, more: object) => (await mint(main, idToken, more)).agent_id;
    const first = await id(ada, { agent_handle: 'build' });
    expect(first).toMatch(/^agent_[a-z2-7]{32}$/);
    expect(await id(ada, { agent_handle: 'build', agent_name: 'Another name' })).toBe(first);
    expect(await id(bob, { agent_handle: 'build' })).not.toBe(first);
    expect(await id(ada, { agent_handle: 'Build' })).not.toBe(first);
    const none = await Promise.all(
      [{}, { agent_handle: null }, { agent_handle: '' }].map((more) => id(ada, more)),
    );
    expect(new Set([first, ...none]).size).toBe(4);
  });
});

describe('the checks come in this order', () => {
  test('without credentials 401, whatever else is wrong', async () => {
    const replica = await plane.replica(variables({ REGISTRATION_TOKEN_SECRET: '' }));
    const answer = await replica.send('POST', path);
    expect([answer.status, answer.json.code]).toEqual([401, 'unauthorized']);
  });

  test('without authentication 401, because nobody has a subject', async () => {
    const off = {
      ...variables({
        ENABLED: 'false',
        IDP_ENABLED: 'false',
        BEARER_ENABLED: 'false',
        REGISTRATION_TOKEN_SECRET: '',
      }),
      CAIRN_ALLOW_UNAUTHENTICATED: 'true',
    };
    const replica = await plane.replica(off);
    for (const sent of [undefined, body, { agent_id: 'agent_x' }]) {
      const answer = await replica.send('POST', path, {}, sent);
      expect([answer.status, answer.json.code]).toEqual([401, 'unauthorized']);
    }
  });

  test('then the CSRF token, then the secret, then the body', async () => {
    const without = await plane.replica(variables({ REGISTRATION_TOKEN_SECRET: '' }));
    const browser = plane.main.browser();
    await browser.signIn('ada');
    const { 'x-csrf-token': csrf, ...others } = browser.headers('POST');
    expect(csrf).toBeTruthy();
    const statuses = async (replica: typeof without, headers: Record<string, string>, sent: unknown) =>
      (await replica.send('POST', path, headers, sent)).status;
    const wrong = { agent_id: 'agent_x' };
    expect(await statuses(without, others, wrong)).toBe(403);
    expect(await statuses(without, browser.headers('POST'), wrong)).toBe(503);
    expect(await statuses(without, browser.headers('POST'), undefined)).toBe(503);
    expect(await statuses(plane.main, browser.headers('POST'), wrong)).toBe(400);
    expect(await statuses(plane.main, browser.headers('POST'), body)).toBe(201);
  });
});

test.each([
  ['an agent_id', { ...body, agent_id: 'agent_x' }, '/agent_id', 'chosen by this service'],
  ['an agent_id of null', { ...body, agent_id: null }, '/agent_id', 'chosen by this service'],
  ['no name', {}, '/agent_name', 'missing'],
  ['a blank name', { agent_name: '  ' }, '/agent_name', 'blank'],
  ['a blank handle', { ...body, agent_handle: ' ' }, '/agent_handle', 'blank'],
  ['a long handle', { ...body, agent_handle: 'x'.repeat(201) }, '/agent_handle', '1 to 200'],
  ['a handle with a control character', { ...body, agent_handle: 'a\u0000b' }, '/agent_handle', 'printable'],
  ['a handle with a line break', { ...body, agent_handle: 'a\nb' }, '/agent_handle', 'printable'],
  [
    'a handle that turns the text around',
    { ...body, agent_handle: 'a\u202eb' },
    '/agent_handle',
    'printable',
  ],
  ['an unknown member', { ...body, role: 'admin' }, '', 'unknown members: "role"'],
  ['a list', [], '', 'an object'],
])('%s is refused', async (_, sent, pointer, reason) => {
  const answer = await plane.main.send('POST', path, bearer(await plane.provider.idToken()), sent);
  expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request']);
  expect(answer.json.details[0]).toMatchObject({ pointer, reason: expect.stringContaining(reason) });
});

test('a handle of 200 characters beyond the basic plane is accepted', async () => {
  const handle = '🪨'.repeat(200);
  expect((await mint(plane.main, await plane.provider.idToken(), { agent_handle: handle })).agent_id).toMatch(
    /^agent_/,
  );
});
