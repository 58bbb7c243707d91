import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providerPaths, startProvider, type TestProvider } from './provider.ts';

const callback = 'http://127.0.0.1:9/v1/auth/callback/idp';
const permissions = { '*': ['view_project_data'] };
let provider: TestProvider;

beforeAll(async () => {
  provider = await startProvider({ redirectUris: [callback] });
  provider.setAccount('ada', {
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada',
    'https://cairn.example/permissions': permissions,
  });
});
afterAll(async () => await provider[Symbol.asyncDispose]());

const local = { [oauth.allowInsecureRequests]: true } as const;

async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(provider.issuer);
  return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, local));
}

async function verified(token: string) {
  return await jwtVerify(token, createRemoteJWKSet(new URL(`${provider.issuer}/jwks`)), {
    issuer: provider.issuer,
  });
}

test('a browser signs in with PKCE, and the ID token has the claims of the scopes', async () => {
  const server = await discovered();
  const verifier = oauth.generateRandomCodeVerifier();
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = new URLSearchParams({
    client_id: provider.browserClient.id,
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'the state',
    nonce: 'the nonce',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const back = await provider.authorize(address, 'ada');
  expect(back.href).toContain(callback);

  const client = { client_id: provider.browserClient.id };
  const parameters = oauth.validateAuthResponse(server, client, back, 'the state');
  const authentication = oauth.ClientSecretBasic(provider.browserClient.secret);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    callback,
    verifier,
    local,
  );
  const answer = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: 'the nonce',
    requireIdToken: true,
  });
  expect(oauth.getValidatedIdTokenClaims(answer)).toMatchObject({
    sub: 'ada',
    aud: 'cairn-browser',
    email: 'ada@example.com',
    email_verified: true,
    name: 'Ada',
    'https://cairn.example/permissions': permissions,
  });

  const cancelled = await provider.cancel(address);
  expect(cancelled.searchParams.get('error')).toBe('access_denied');
});

test('a device gets an ID token and a JWT access token for the audience', async () => {
  const tokens = await provider.deviceTokens('ada');
  const access = await verified(tokens.access_token);
  expect(access.protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
  expect(access.payload).toMatchObject({
    sub: 'ada',
    aud: provider.audience,
    'https://cairn.example/permissions': permissions,
  });
  expect((await verified(tokens.id_token)).payload).toMatchObject({ aud: 'cairn-cli', name: 'Ada' });
  expect(tokens.refresh_token).toBeTypeOf('string');
});

describe('tokens made for tests', () => {
  test('are verified like tokens of the provider if nothing was changed', async () => {
    expect((await verified(await provider.idToken())).payload).toMatchObject({
      aud: 'cairn-cli',
      sub: 'ada',
    });
    const access = await verified(await provider.accessToken({ claims: { sub: 'bob', aud: 'another' } }));
    expect(access.payload).toMatchObject({ sub: 'bob', aud: 'another' });
    const expired = await provider.accessToken({ claims: { exp: 1 } });
    await expect(verified(expired)).rejects.toThrow('"exp" claim timestamp check failed');
  });

  test('are refused without a signature by the provider’s key', async () => {
    await expect(verified(await provider.foreignKeyToken('id'))).rejects.toThrow('no applicable key');
    await expect(verified(await provider.foreignKeyToken('access', {}, 'known'))).rejects.toThrow(
      'signature',
    );
    await expect(verified(provider.unsignedToken('id'))).rejects.toThrow();
    expect(decodeProtectedHeader(provider.unsignedToken('access'))).toEqual({ alg: 'none', typ: 'at+jwt' });
    const confused = await provider.hs256WithPublicKey('access');
    expect(decodeProtectedHeader(confused).alg).toBe('HS256');
    expect(decodeJwt(confused).aud).toBe(provider.audience);
    await expect(verified(confused)).rejects.toThrow();
  });
});

test('the provider can rotate its keys, and stop and start again on the same port', async () => {
  const before = await provider.accessToken();
  await provider.rotateKeys({ keepOld: true });
  const between = await provider.accessToken();
  await verified(before);
  await verified(between);
  await provider.rotateKeys();
  await expect(verified(before)).rejects.toThrow('no applicable key');
  await verified(await provider.accessToken());
  await verified((await provider.deviceTokens('ada')).id_token);

  const asked = provider.requests(providerPaths.discovery);
  await discovered();
  expect(provider.requests(providerPaths.discovery)).toBe(asked + 1);
  await provider.stop();
  await expect(fetch(provider.issuer + providerPaths.discovery)).rejects.toThrow();
  await provider.start();
  await discovered();
});
