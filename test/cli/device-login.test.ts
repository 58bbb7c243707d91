import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { deviceLogin, type LoginPorts, type UserCode } from '../../src/cli/commands/login/device-login.ts';
import { type JsonAnswer, startJsonServer } from '../access/json-server.ts';

type TokenAnswer = JsonAnswer | 'reset' | ((issuer: string) => Promise<JsonAnswer>);

interface Script {
  /** The answers of the token endpoint, in order. */
  readonly answers: readonly TokenAnswer[];
  readonly device?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly audience?: string;
}

const { privateKey, publicKey } = await generateKeyPair('RS256');

const pending = { status: 400, body: { error: 'authorization_pending' } };
const slowDown = { status: 400, body: { error: 'slow_down' } };

function tokens(changes: Record<string, unknown> = {}, key = privateKey) {
  return async (issuer: string): Promise<JsonAnswer> => {
    const idToken = await new SignJWT({ iss: issuer, sub: 'ada', aud: 'cli', ...changes })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key);
    return { body: { access_token: 'opaque', token_type: 'Bearer', id_token: idToken } };
  };
}

/** Logs in at a scripted issuer. Time passes only by waiting. */
async function scripted({ answers, device, metadata, audience }: Script, stop = new AbortController()) {
  const left = [...answers];
  const waits: number[] = [];
  const shown: UserCode[] = [];
  const asked: string[] = [];
  let begun = new URLSearchParams();
  await using issuer = await startJsonServer(async ({ path, body }, url) => {
    if (path === '/keys')
      return { body: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }] } };
    if (path === '/device') {
      begun = new URLSearchParams(body);
      const codes = { device_code: 'the device code', user_code: 'WDJB-MJHT', expires_in: 600 };
      return { body: { ...codes, verification_uri: `${url}/enter`, ...device } };
    }
    if (path === '/token') {
      asked.push(body);
      const next = left.shift() ?? pending;
      return typeof next === 'function' ? await next(url) : (next as JsonAnswer);
    }
    const endpoints = { token_endpoint: `${url}/token`, device_authorization_endpoint: `${url}/device` };
    return { body: { issuer: url, jwks_uri: `${url}/keys`, ...endpoints, ...metadata } };
  });
  const ports: LoginPorts = {
    show: (code) => void shown.push(code),
    wait: async (milliseconds) => {
      stop.signal.throwIfAborted();
      waits.push(milliseconds / 1_000);
    },
    clock: () => waits.reduce((sum, seconds) => sum + seconds, 0) * 1_000,
    stop: stop.signal,
  };
  const config = { issuer: new URL(issuer.url), clientId: 'cli', scopes: ['openid', 'email'], audience };
  const outcome = await deviceLogin(config, ports).then(
    (issued) => ({ issued, failure: undefined }),
    (failure: Error) => ({ issued: undefined, failure }),
  );
  return { ...outcome, waits, shown, asked, begun };
}

test.each([
  [undefined, null, null],
  ['cairn', 'cairn', null],
  ['https://cairn.example', 'https://cairn.example', 'https://cairn.example'],
])('a login for the audience %s asks the issuer for it', async (audience, named, resource) => {
  const { begun } = await scripted({ answers: [tokens()], ...(audience && { audience }) });
  expect([begun.get('audience'), begun.get('resource')]).toEqual([named, resource]);
});

describe('polling until the code is entered', () => {
  test('waits as long as the issuer says, and longer after slow_down', async () => {
    const login = await scripted({
      answers: [pending, slowDown, pending, tokens()],
      device: { interval: 2 },
    });
    expect(login.issued).toMatchObject({ accessToken: 'opaque', claims: { sub: 'ada' } });
    expect(login.waits).toEqual([2, 2, 7, 7]);
    expect(login.asked[0]).toContain('device_code=the+device+code');
    expect(login.asked[0]).toContain('client_id=cli');
  });

  test('waits five seconds by default, and twice as long if the issuer does not answer', async () => {
    const login = await scripted({ answers: [pending, 'reset', { status: 503, body: {} }, tokens()] });
    expect(login.failure).toBeUndefined();
    expect(login.waits).toEqual([5, 5, 10, 20]);
  });

  test('ends when the code expires, by the issuer or by the clock', async () => {
    const said = await scripted({ answers: [pending, { status: 400, body: { error: 'expired_token' } }] });
    expect(said.failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('in time') });
    const silent = await scripted({ answers: [], device: { expires_in: 21, interval: 5 } });
    expect(silent.failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('in time') });
    expect(silent.waits).toEqual([5, 5, 5, 5]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['longer than the code lasts', { interval: 601 }],
    ['as long as the code lasts', { interval: 600 }],
    ['for years, as the code lasts for ages', { interval: 3_000_000, expires_in: 1e300 }],
    ['for ever', { interval: 1e308 }],
  ])('does not start if the issuer wants it to wait %s', async (_what, device) => {
    const { failure, shown, waits, asked } = await scripted({ answers: [tokens()], device });
    expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('in time') });
    expect(failure?.message).toContain(`${device.interval}`);
    expect({ shown, waits, asked }).toEqual({ shown: [], waits: [], asked: [] });
  });

  test.each([-5, 0, 'five', '5', null, [5]])('does not start with an interval of %j', async (interval) => {
    const { failure, waits } = await scripted({ answers: [tokens()], device: { interval } });
    expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('cannot be trusted') });
    expect(waits).toEqual([]);
  });

  test('polls at most once a second and for at most an hour', async () => {
    const hasty = await scripted({ answers: [pending, tokens()], device: { interval: 0.001 } });
    expect(hasty.waits).toEqual([1, 1]);
    const ages = await scripted({ answers: [], device: { interval: 300, expires_in: 1e300 } });
    expect(ages.failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('in time') });
    expect(ages.shown).toMatchObject([{ expiresInSeconds: 3_600 }]);
    expect(ages.waits.reduce((sum, seconds) => sum + seconds, 0)).toBeLessThanOrEqual(3_600);
  });

  test('ends when the login is denied or stopped', async () => {
    const denied = await scripted({ answers: [{ status: 400, body: { error: 'access_denied' } }] });
    expect(denied.failure).toMatchObject({ exitCode: 1, message: 'The login was denied in the browser.' });
    const stop = new AbortController();
    const answer = async () => {
      stop.abort();
      return pending;
    };
    const stopped = await scripted({ answers: [answer] }, stop);
    expect(stopped.failure).toMatchObject({ exitCode: 130 });
  });

  test('reports why the issuer refuses the client', async () => {
    const answer = { status: 400, body: { error: 'unauthorized_client', error_description: 'No devices.' } };
    const { failure } = await scripted({ answers: [answer] });
    expect(failure).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('"cli" (unauthorized_client: No devices.)'),
    });
  });
});

describe('an ID token is accepted only if it is', () => {
  test.each<[string, Record<string, unknown>]>([
    ['of the issuer', { iss: 'https://elsewhere.example' }],
    ['for this client', { aud: 'another' }],
  ])('%s', async (_what, changes) => {
    const { failure, issued } = await scripted({ answers: [tokens(changes)] });
    expect(issued).toBeUndefined();
    expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('cannot be trusted') });
  });

  test('signed by the issuer', async () => {
    const another = await generateKeyPair('RS256');
    const { failure } = await scripted({ answers: [tokens({}, another.privateKey)] });
    expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('cannot be trusted') });
  });

  test('present', async () => {
    const answer = { body: { access_token: 'opaque', token_type: 'Bearer' } };
    const { failure } = await scripted({ answers: [answer] });
    expect(failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('"openid"') });
  });
});

test.each(['javascript:alert(1)', 'http://issuer.example/enter'])(
  '%s is not shown: no browser should open it',
  async (address) => {
    const device = { verification_uri: address };
    const { failure, shown } = await scripted({ answers: [], device });
    expect(failure).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('no browser should open'),
    });
    expect(shown).toEqual([]);
  },
);

test('an issuer without device login differs from an unreachable one', async () => {
  const without = await scripted({ answers: [], metadata: { device_authorization_endpoint: undefined } });
  expect(without.failure).toMatchObject({ exitCode: 1, message: expect.stringContaining('RFC 8628') });
  const elsewhere = await scripted({ answers: [], metadata: { issuer: 'https://elsewhere.example' } });
  expect(elsewhere.failure).toMatchObject({
    exitCode: 1,
    message: expect.stringContaining('cannot be trusted'),
  });
  const config = { issuer: new URL('http://127.0.0.1:9'), clientId: 'cli', scopes: ['openid'] };
  const ports: LoginPorts = {
    show: () => undefined,
    wait: async () => undefined,
    clock: () => 0,
    stop: new AbortController().signal,
  };
  await expect(deviceLogin(config, ports)).rejects.toMatchObject({ exitCode: 3 });
});
