import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OidcIssuer } from '../../src/platform/tokens/oidc-issuer.ts';
import type { TokenChanges } from './forgery.ts';
import { startJsonServer } from './json-server.ts';
import { providerPaths, startProvider, type TestProvider } from './provider.ts';

let provider: TestProvider;
let issuer: OidcIssuer;
let problems: Error[];

/** Stands still until it is moved, for the packages as well. */
const clock = {
  now: () => new Date(),
  pass: (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds),
};

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  provider = await startProvider();
  problems = [];
  issuer = open();
});
afterEach(async () => {
  vi.useRealTimers();
  await provider[Symbol.asyncDispose]();
});

function open(changes: { issuer?: string; timeoutMs?: number } = {}): OidcIssuer {
  const onError = (error: Error) => void problems.push(error);
  return new OidcIssuer({ issuer: provider.issuer, now: clock.now, onError, ...changes });
}

const access = () => ({ audience: provider.audience, use: 'access-token' }) as const;
const id = () => ({ audience: provider.deviceClient.id, use: 'id-token' }) as const;
const seconds = () => Math.floor(clock.now().getTime() / 1_000);
const refused = (reason: string) => ({ code: 'unauthorized', reason });

describe('tokens as the provider makes them', () => {
  test('are accepted for their own use alone', async () => {
    const tokens = await provider.deviceTokens('ada');
    const accepted = await issuer.verify(tokens.access_token, access());
    expect(accepted).toMatchObject({ issuer: provider.issuer, subject: 'ada' });
    expect(accepted.expiresAt).toBeGreaterThan(clock.now().getTime());
    expect(await issuer.verify(tokens.id_token, id())).toMatchObject({ subject: 'ada' });
    await expect(issuer.verify(tokens.id_token, access())).rejects.toMatchObject(refused('wrong_audience'));
    await expect(issuer.verify(tokens.access_token, id())).rejects.toMatchObject(refused('wrong_audience'));
  });

  test('let a service know that has the client as its audience', async () => {
    const { id_token: token } = await provider.deviceTokens('ada');
    const expected = { audience: provider.deviceClient.id, use: 'access-token' } as const;
    expect(await issuer.verify(token, expected)).toMatchObject({ subject: 'ada' });
  });
});

const early = { nbf: 10_000_000_000 };

describe('an access token is refused', () => {
  test.each<[string, string, TokenChanges]>([
    ['of another audience', 'wrong_audience', { claims: { aud: 'another' } }],
    ['without an audience', 'wrong_audience', { claims: { aud: undefined } }],
    ['of another issuer', 'wrong_issuer', { claims: { iss: 'https://another.example' } }],
    ['that is over', 'expired', { claims: { exp: 1_000 } }],
    ['that never ends', 'bad_claims', { claims: { exp: undefined } }],
    ['that ends in words', 'bad_claims', { claims: { exp: 'tomorrow' } }],
    ['that has not begun', 'not_yet_valid', { claims: early }],
    ['of nobody', 'bad_claims', { claims: { sub: undefined } }],
    ['of somebody without a name', 'bad_claims', { claims: { sub: '' } }],
    ['of a number', 'bad_claims', { claims: { sub: 7 } }],
    ['of a name without end', 'bad_claims', { claims: { sub: 'a'.repeat(1_001) } }],
    ['of a name with a control character', 'bad_claims', { claims: { sub: 'ada\n' } }],
    ['of a name with half a character', 'bad_claims', { claims: { sub: 'ada\ud800' } }],
    ['for logging out', 'wrong_type', { header: { typ: 'logout+jwt' } }],
    ['for logging out, of no type', 'wrong_type', { header: { typ: undefined }, claims: { events: {} } }],
    ['for registrations', 'wrong_type', { header: { typ: 'cairn-registration+jwt' } }],
    ['for the gateway', 'wrong_type', { header: { typ: 'application/cairn-gateway+jwt' } }],
    ['of a type that is no text', 'wrong_type', { header: { typ: 7 } }],
  ])('%s', async (_name, reason, changes) => {
    const token = await provider.accessToken(changes);
    await expect(issuer.verify(token, access())).rejects.toMatchObject(refused(reason));
  });

  test('with a forged signature', async () => {
    const all = [
      ['unknown_key', await provider.foreignKeyToken('access')],
      ['bad_signature', await provider.foreignKeyToken('access', {}, 'known')],
      ['wrong_algorithm', provider.unsignedToken('access')],
      ['wrong_algorithm', await provider.hs256WithPublicKey('access')],
      ['malformed', 'no.jwt'],
      ['malformed', 'a.b.c'],
    ] as const;
    for (const [reason, token] of all)
      await expect(issuer.verify(token, access())).rejects.toMatchObject(refused(reason));
  });

  test('only by more than a few seconds', async () => {
    await issuer.verify(await provider.accessToken({ claims: { exp: seconds() - 4 } }), access());
    await issuer.verify(await provider.accessToken({ claims: { nbf: seconds() + 4 } }), access());
    const over = await provider.accessToken({ claims: { exp: seconds() - 6 } });
    await expect(issuer.verify(over, access())).rejects.toMatchObject(refused('expired'));
  });

  test.each(['JWT', 'jwt', undefined, 'at+jwt', 'application/at+jwt', 'application/JWT'])(
    'not for its type %s',
    async (typ) => {
      const token = await provider.accessToken({ header: { typ } });
      expect(await issuer.verify(token, access())).toMatchObject({ subject: 'ada' });
    },
  );
});

describe('an ID token is refused', () => {
  const client = 'cairn-cli';
  test.each<[string, string, TokenChanges]>([
    ['that is an access token', 'wrong_type', { header: { typ: 'at+jwt' } }],
    ['with a scope', 'wrong_type', { claims: { scope: 'openid' } }],
    ['with a scope and a party', 'wrong_type', { claims: { scope: 'openid', azp: client } }],
    ['with a scope and the time of a login', 'wrong_type', { claims: { scp: ['openid'], auth_time: 1 } }],
    ['with a client', 'wrong_type', { claims: { client_id: client, auth_time: undefined } }],
    ['of another client', 'wrong_type', { claims: { client_id: 'another', nonce: 'n', azp: client } }],
    [
      'that is an access token with the claims of an ID token',
      'wrong_type',
      { header: { typ: 'at+jwt' }, claims: { client_id: client, nonce: 'n', at_hash: 'h' } },
    ],
    ['that calls itself a bearer', 'wrong_type', { claims: { typ: 'Bearer' } }],
    ['that is used for access', 'wrong_type', { claims: { token_use: 'access' } }],
    ['for logging out', 'wrong_type', { claims: { events: {} } }],
    ['of no time', 'bad_claims', { claims: { iat: undefined } }],
    ['for another party', 'wrong_audience', { claims: { azp: 'another' } }],
    ['for several without a party', 'wrong_audience', { claims: { aud: [client, 'another'] } }],
    ['for several of another party', 'wrong_audience', { claims: { aud: [client, 'x'], azp: 'x' } }],
  ])('%s', async (_name, reason, changes) => {
    const token = await provider.idToken(changes);
    await expect(issuer.verify(token, id())).rejects.toMatchObject(refused(reason));
  });

  test('not when it is for several and this client asked for it', async () => {
    const claims = { aud: [client, 'another'], azp: client, typ: 'ID', nonce: 'n', at_hash: 'h' };
    expect(await issuer.verify(await provider.idToken({ claims }), id())).toMatchObject({ subject: 'ada' });
  });

  test.each([
    { client_id: client, azp: client },
    { client_id: client, nonce: 'n' },
    { client_id: client, at_hash: 'h' },
    { client_id: client, auth_time: 1_700_000_000 },
    { scope: 'openid email', nonce: 'n' },
    { client_id: client, scope: 'openid', at_hash: 'h' },
  ])('not when its other claims are those of an ID token: %j', async (given) => {
    const token = await provider.idToken({ claims: { auth_time: undefined, ...given } });
    expect(await issuer.verify(token, id())).toMatchObject({ subject: 'ada' });
  });
});

describe('keys', () => {
  test('are read once for many tokens at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.accessToken()));
    await Promise.all(tokens.map((token) => issuer.verify(token, access())));
    expect(provider.requests(providerPaths.keys)).toBe(1);
    expect(provider.requests(providerPaths.discovery)).toBe(1);
  });

  test('are read again for the first token that names a new one', async () => {
    await issuer.verify(await provider.accessToken(), access());
    for (let n = 0; n < 3; n += 1) {
      await provider.rotateKeys();
      clock.pass(10_000);
      expect(await issuer.verify(await provider.accessToken(), access())).toMatchObject({ subject: 'ada' });
    }
  });

  test('are not read again for each unknown one', async () => {
    await issuer.verify(await provider.accessToken(), access());
    const unknown = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        const token = await provider.foreignKeyToken('access');
        await expect(issuer.verify(token, access())).rejects.toMatchObject(refused('unknown_key'));
      }
    };
    await unknown(20);
    expect(provider.requests(providerPaths.keys)).toBe(1);
    await provider.rotateKeys();
    const token = await provider.accessToken();
    await expect(issuer.verify(token, access())).rejects.toMatchObject(refused('unknown_key'));
    clock.pass(10_000);
    expect(await issuer.verify(token, access())).toMatchObject({ subject: 'ada' });
    await unknown(3);
    expect(provider.requests(providerPaths.keys)).toBe(2);
    clock.pass(3_600_000);
    await unknown(20);
    expect(provider.requests(providerPaths.keys)).toBe(3);
  });

  test('are read again after the clock was put back', async () => {
    await issuer.verify(await provider.accessToken(), access());
    await provider.rotateKeys();
    clock.pass(-3_600_000);
    expect(await issuer.verify(await provider.accessToken(), access())).toMatchObject({ subject: 'ada' });
  });

  test('are not asked for by tokens of others', async () => {
    await issuer.verify(await provider.accessToken(), access());
    clock.pass(60_000);
    const foreign = await provider.foreignKeyToken('access', { claims: { iss: 'https://another.example' } });
    await expect(issuer.verify(foreign, access())).rejects.toMatchObject(refused('wrong_issuer'));
    expect(provider.requests(providerPaths.keys)).toBe(1);
  });

  test('that the issuer has withdrawn end', async () => {
    const token = await provider.accessToken();
    await issuer.verify(token, access());
    await provider.rotateKeys();
    clock.pass(300_001);
    await issuer.verify(token, access());
    await expect.poll(() => provider.requests(providerPaths.keys)).toBe(2);
    await expect
      .poll(() => issuer.verify(token, access()).catch((error) => error))
      .toMatchObject(refused('unknown_key'));
  });
});

describe('keys of a service that had nothing to do', () => {
  test('are read before one that the issuer has withdrawn lets anybody in', async () => {
    const token = await provider.accessToken({ claims: { exp: seconds() + 7_200 } });
    await issuer.verify(token, access());
    await provider.rotateKeys();
    clock.pass(3_600_000);
    await expect(issuer.verify(token, access())).rejects.toMatchObject(refused('unknown_key'));
  });

  test('go on serving when the issuer is away', async () => {
    const token = await provider.accessToken({ claims: { exp: seconds() + 7_200 } });
    await issuer.verify(token, access());
    await provider.stop();
    clock.pass(3_600_000);
    expect(await issuer.verify(token, access())).toMatchObject({ subject: 'ada' });
  });
});

describe('a key that no token can be verified with', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' });
  const secretHalf = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each<[string, string, object]>([
    ['too short', 'RS256', weak],
    ['of no sense', 'RS256', { kty: 'RSA', n: '!', e: 'AQAB' }],
    ['off its curve', 'ES256', { kty: 'EC', crv: 'P-256', x: 'AQ', y: 'AQ' }],
    ['that should be secret', 'EdDSA', secretHalf],
  ])('lets nobody in: %s', async (_name, alg, key) => {
    await using published = await startJsonServer(({ path }, url) =>
      path === '/keys'
        ? { body: { keys: [{ ...key, kid: 'odd' }] } }
        : { body: { issuer: url, jwks_uri: `${url}/keys` } },
    );
    const claims = { iss: published.url, aud: provider.audience, sub: 'ada', exp: seconds() + 60 };
    const token = `${base64({ alg, kid: 'odd' })}.${base64(claims)}.${'A'.repeat(86)}`;
    const verified = open({ issuer: published.url }).verify(token, access());
    await expect(verified).rejects.toMatchObject(refused('unusable_key'));
  });
});

describe('while the issuer is away', () => {
  test('known keys go on serving, and for unknown ones nobody is let in', async () => {
    const known = await provider.accessToken();
    await issuer.verify(known, access());
    const foreign = await provider.foreignKeyToken('access');
    await provider.stop();
    clock.pass(600_000);
    await issuer.verify(known, access());
    await expect(issuer.verify(foreign, access())).rejects.toMatchObject({
      code: 'unavailable',
      retryAfter: expect.any(Number),
    });
    await issuer.verify(known, access());
    await provider.start();
    clock.pass(1_000);
    await expect(issuer.verify(foreign, access())).rejects.toMatchObject(refused('unknown_key'));
    expect(problems[0]?.message).toContain(provider.issuer);
  });

  test('it can be started, and serves when the issuer is there', async () => {
    const token = await provider.accessToken();
    await provider.stop();
    await expect(issuer.verify(token, access())).rejects.toMatchObject({ code: 'unavailable' });
    await expect(issuer.metadata()).rejects.toMatchObject({ code: 'unavailable' });
    await provider.start();
    clock.pass(1_000);
    expect(await issuer.verify(token, access())).toMatchObject({ subject: 'ada' });
    expect(await issuer.metadata()).toMatchObject({ issuer: provider.issuer });
  });

  test('metadata of another issuer are none', async () => {
    const other = open({ issuer: `${provider.issuer}/` });
    await expect(other.metadata()).rejects.toMatchObject({ code: 'unavailable' });
    expect(problems[0]?.message).toContain('its metadata are those of');
  });
});

describe('a verifier', () => {
  test('remembers for half a minute, and never longer than the token holds', async () => {
    const verifier = issuer.verifier(access());
    const [token, short] = [
      await provider.accessToken(),
      await provider.accessToken({ claims: { exp: seconds() + 5 } }),
    ];
    expect(verifier.known(token)).toBeUndefined();
    await Promise.all([verifier.verify(token), verifier.verify(short)]);
    expect(verifier.known(token)).toMatchObject({ subject: 'ada' });
    clock.pass(11_000);
    expect(verifier.known(short)).toBeUndefined();
    await expect(verifier.verify(short)).rejects.toMatchObject(refused('expired'));
    clock.pass(20_000);
    expect(verifier.known(token)).toBeUndefined();
    await verifier.verify(token);
    expect(verifier.known(token)).toMatchObject({ subject: 'ada' });
  });
});
