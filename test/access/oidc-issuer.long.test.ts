import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OidcIssuer } from '../../src/platform/tokens/oidc-issuer.ts';
import type { TokenChanges } from './forgery.ts';
import { startJsonServer } from './json-server.ts';
import { providerPaths, startProvider, type TestProvider } from './provider.ts';

let provider: TestProvider;
let issuer: OidcIssuer;
let problems: Error[];

/** A clock that moves only on demand, for the packages too. */
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

describe('tokens of the provider', () => {
  test('are accepted for their own use only', async () => {
    const tokens = await provider.deviceTokens('ada');
    const accepted = await issuer.verify(tokens.access_token, access());
    expect(accepted).toMatchObject({ issuer: provider.issuer, subject: 'ada' });
    expect(accepted.expiresAt).toBeGreaterThan(clock.now().getTime());
    expect(await issuer.verify(tokens.id_token, id())).toMatchObject({ subject: 'ada' });
    await expect(issuer.verify(tokens.id_token, access())).rejects.toMatchObject(refused('wrong_audience'));
    await expect(issuer.verify(tokens.access_token, id())).rejects.toMatchObject(refused('wrong_audience'));
  });

  test('include ID tokens, for a service whose audience is the client', async () => {
    const { id_token: token } = await provider.deviceTokens('ada');
    const expected = { audience: provider.deviceClient.id, use: 'access-token' } as const;
    expect(await issuer.verify(token, expected)).toMatchObject({ subject: 'ada' });
  });
});

const early = { nbf: 10_000_000_000 };

describe('an access token is refused', () => {
  test.each<[string, string, TokenChanges]>([
    ['for another audience', 'wrong_audience', { claims: { aud: 'another' } }],
    ['without an audience', 'wrong_audience', { claims: { aud: undefined } }],
    ['of another issuer', 'wrong_issuer', { claims: { iss: 'https://another.example' } }],
    ['that has expired', 'expired', { claims: { exp: 1_000 } }],
    ['without an expiry', 'bad_claims', { claims: { exp: undefined } }],
    ['with an expiry as text', 'bad_claims', { claims: { exp: 'tomorrow' } }],
    ['that is not valid yet', 'not_yet_valid', { claims: early }],
    ['without a subject', 'bad_claims', { claims: { sub: undefined } }],
    ['with an empty subject', 'bad_claims', { claims: { sub: '' } }],
    ['with a number as subject', 'bad_claims', { claims: { sub: 7 } }],
    ['with a subject that is too long', 'bad_claims', { claims: { sub: 'a'.repeat(1_001) } }],
    ['with a control character in the subject', 'bad_claims', { claims: { sub: 'ada\n' } }],
    ['with a lone surrogate in the subject', 'bad_claims', { claims: { sub: 'ada\ud800' } }],
    ['that is a logout token', 'wrong_type', { header: { typ: 'logout+jwt' } }],
    [
      'that is a logout token without a type',
      'wrong_type',
      { header: { typ: undefined }, claims: { events: {} } },
    ],
    ['that is a registration token', 'wrong_type', { header: { typ: 'cairn-registration+jwt' } }],
    ['that is a gateway token', 'wrong_type', { header: { typ: 'application/cairn-gateway+jwt' } }],
    ['with a type that is not text', 'wrong_type', { header: { typ: 7 } }],
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

  test('with a tolerance of a few seconds', async () => {
    await issuer.verify(await provider.accessToken({ claims: { exp: seconds() - 4 } }), access());
    await issuer.verify(await provider.accessToken({ claims: { nbf: seconds() + 4 } }), access());
    const over = await provider.accessToken({ claims: { exp: seconds() - 6 } });
    await expect(issuer.verify(over, access())).rejects.toMatchObject(refused('expired'));
  });

  test.each(['JWT', 'jwt', undefined, 'at+jwt', 'application/at+jwt', 'application/JWT'])(
    'but not because of the type %s',
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
    ['whose typ is Bearer', 'wrong_type', { claims: { typ: 'Bearer' } }],
    ['whose token_use is access', 'wrong_type', { claims: { token_use: 'access' } }],
    ['that is a logout token', 'wrong_type', { claims: { events: {} } }],
    ['without a time of issue', 'bad_claims', { claims: { iat: undefined } }],
    ['for another authorized party', 'wrong_audience', { claims: { azp: 'another' } }],
    [
      'for several audiences without an authorized party',
      'wrong_audience',
      { claims: { aud: [client, 'another'] } },
    ],
    [
      'for several audiences with another authorized party',
      'wrong_audience',
      { claims: { aud: [client, 'x'], azp: 'x' } },
    ],
  ])('%s', async (_name, reason, changes) => {
    const token = await provider.idToken(changes);
    await expect(issuer.verify(token, id())).rejects.toMatchObject(refused(reason));
  });

  test('but not for several audiences with this client as authorized party', async () => {
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
  test('are read once for concurrent tokens', async () => {
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

  test('are read again for a key that is new within ten seconds of another read', async () => {
    await issuer.verify(await provider.accessToken(), access());
    for (let n = 0; n < 2; n += 1) {
      await provider.rotateKeys();
      expect(await issuer.verify(await provider.accessToken(), access())).toMatchObject({ subject: 'ada' });
    }
    expect(provider.requests(providerPaths.keys)).toBe(3);
  });

  test('are read twice in ten seconds for unknown keys, however many there are', async () => {
    await issuer.verify(await provider.accessToken(), access());
    const unknown = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        const token = await provider.foreignKeyToken('access');
        await expect(issuer.verify(token, access())).rejects.toMatchObject(refused('unknown_key'));
      }
    };
    await unknown(20);
    expect(provider.requests(providerPaths.keys)).toBe(3);
    await provider.rotateKeys();
    const token = await provider.accessToken();
    clock.pass(9_999);
    await expect(issuer.verify(token, access())).rejects.toMatchObject(refused('unknown_key'));
    clock.pass(1);
    expect(await issuer.verify(token, access())).toMatchObject({ subject: 'ada' });
    await unknown(3);
    expect(provider.requests(providerPaths.keys)).toBe(5);
  });

  test('are read once for concurrent tokens with a new key', async () => {
    await issuer.verify(await provider.accessToken(), access());
    await provider.rotateKeys();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.accessToken()));
    await Promise.all(tokens.map((token) => issuer.verify(token, access())));
    expect(provider.requests(providerPaths.keys)).toBe(2);
  });

  test('are used for five minutes, to the millisecond, before they are read again', async () => {
    const token = await provider.accessToken({ claims: { exp: seconds() + 7_200 } });
    await issuer.verify(token, access());
    clock.pass(300_000);
    await issuer.verify(token, access());
    // Reading a new key shows that nothing was read in the background meanwhile.
    await provider.rotateKeys();
    await issuer.verify(await provider.accessToken(), access());
    expect(provider.requests(providerPaths.discovery)).toBe(1);
    clock.pass(1);
    await issuer.verify(await provider.accessToken(), access());
    await expect.poll(() => provider.requests(providerPaths.discovery)).toBe(2);
  });

  test('are read again after the clock was set back', async () => {
    await issuer.verify(await provider.accessToken(), access());
    await provider.rotateKeys();
    clock.pass(-3_600_000);
    expect(await issuer.verify(await provider.accessToken(), access())).toMatchObject({ subject: 'ada' });
  });

  test('are not read for tokens of other issuers', async () => {
    await issuer.verify(await provider.accessToken(), access());
    clock.pass(60_000);
    const foreign = await provider.foreignKeyToken('access', { claims: { iss: 'https://another.example' } });
    await expect(issuer.verify(foreign, access())).rejects.toMatchObject(refused('wrong_issuer'));
    expect(provider.requests(providerPaths.keys)).toBe(1);
  });

  test('that the issuer has withdrawn are rejected', async () => {
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

describe('keys of an idle service', () => {
  test('are read before a withdrawn key is accepted', async () => {
    const token = await provider.accessToken({ claims: { exp: seconds() + 7_200 } });
    await issuer.verify(token, access());
    await provider.rotateKeys();
    clock.pass(3_600_000);
    await expect(issuer.verify(token, access())).rejects.toMatchObject(refused('unknown_key'));
  });

  test('still work while the issuer is away', async () => {
    const token = await provider.accessToken({ claims: { exp: seconds() + 7_200 } });
    await issuer.verify(token, access());
    await provider.stop();
    clock.pass(3_600_000);
    expect(await issuer.verify(token, access())).toMatchObject({ subject: 'ada' });
  });
});

describe('a key that cannot verify anything', () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' });
  const secretHalf = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each<[string, string, object]>([
    ['too short', 'RS256', weak],
    ['not a key', 'RS256', { kty: 'RSA', n: '!', e: 'AQAB' }],
    ['not on its curve', 'ES256', { kty: 'EC', crv: 'P-256', x: 'AQ', y: 'AQ' }],
    ['a private key', 'EdDSA', secretHalf],
  ])('is refused: %s', async (_name, alg, key) => {
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
  test('known keys still work, and tokens with unknown keys are refused', async () => {
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

  test('a service starts, and accepts tokens when the issuer is back', async () => {
    const token = await provider.accessToken();
    await provider.stop();
    await expect(issuer.verify(token, access())).rejects.toMatchObject({ code: 'unavailable' });
    await expect(issuer.metadata()).rejects.toMatchObject({ code: 'unavailable' });
    await provider.start();
    clock.pass(1_000);
    expect(await issuer.verify(token, access())).toMatchObject({ subject: 'ada' });
    expect(await issuer.metadata()).toMatchObject({ issuer: provider.issuer });
  });

  test('metadata of another issuer are refused', async () => {
    const other = open({ issuer: `${provider.issuer}/` });
    await expect(other.metadata()).rejects.toMatchObject({ code: 'unavailable' });
    expect(problems[0]?.message).toContain('its metadata are those of');
  });
});

describe('a verifier', () => {
  test('remembers results for half a minute, but not beyond the expiry of the token', async () => {
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
