import { z } from '@hono/zod-openapi';
import { decodeJwt, SignJWT } from 'jose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newTokenSemaphores, openSharedRateLimits } from '../../../../src/composition/shared.ts';
import { gatewayScopes } from '../../../../src/domain/control-plane/gateway-access.ts';
import { jsonAnswer } from '../../../../src/http/answers.ts';
import { gatewayApps, gatewayOperation } from '../../../../src/http/control-plane/gateway-operation.ts';
import {
  gatewayVerifier,
  signGatewayCredential,
} from '../../../../src/platform/agent-tokens/gateway-credential.ts';
import { registrationVerifier } from '../../../../src/platform/agent-tokens/registration-token.ts';
import { readSettings } from '../../../../src/platform/settings/settings.ts';
import { startAuthService, type TestAuthService } from '../../../access/auth-service.ts';
import { bearer, type Replica, registrationSecret, usePlane, variables } from '../plane.ts';
import { useRecords } from '../service.ts';
import { mint } from './registering.ts';

/** The worst case: both kinds of tokens have the same secret. */
const plane = usePlane();
const gateway = useRecords();
let delegating: Replica;
let authService: TestAuthService;
const lifetimeMs = 60_000;
const credential = (scopes: readonly (typeof gatewayScopes)[number][] = gatewayScopes) =>
  signGatewayCredential(registrationSecret, { name: 'tests', scopes, lifetimeMs, now: new Date() });

beforeAll(async () => {
  authService = await startAuthService();
  delegating = await plane.replica({
    ...variables({
      BEARER_MODE: 'auth_service',
      BEARER_AUTH_SERVICE_BASE_URL: authService.url,
    }),
    CAIRN_GATEWAY_SECRET: registrationSecret,
  });
  const settings = readSettings({});
  const rateLimits = await openSharedRateLimits(settings, pino({ level: 'silent' }));
  const attempts = { rateLimits, turns: newTokenSemaphores(settings), trustedProxies: null };
  const now = () => new Date();
  const apps = gatewayApps(gateway.app, {
    gateway: { ...attempts, verifier: gatewayVerifier(registrationSecret, now) },
    registration: {
      ...attempts,
      verifier: registrationVerifier({ secret: registrationSecret, issuer: 'i', now }),
    },
    registrantOf: () => Promise.reject(new Error('Not called.')),
  });
  gatewayOperation(apps.gateway, 'GET /v1/gateway/audit-exchanges', {
    access: 'audit-exchanges',
    tag: 'Gateway',
    summary: 'A test',
    answers: {
      200: jsonAnswer('The caller', z.object({ subject: z.string(), scopes: z.array(z.string()) })),
    },
    handle: ({ answer, principal: { subject, scopes } }) => answer(200, { subject, scopes: [...scopes] }),
  });
});
afterAll(() => authService[Symbol.asyncDispose]());

const askGateway = async (token: string) => {
  const answer = await gateway.app.request('/v1/gateway/audit-exchanges', { headers: bearer(token) });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
};

const kinds: Record<string, () => Promise<string>> = {
  'an ID token': () => plane.provider.idToken(),
  'a token of the auth service': async () => {
    authService.know('an-opaque-token', { sub: 'ada' });
    return 'an-opaque-token';
  },
  'a registration token': async () =>
    (await mint(plane.main, await plane.provider.idToken())).registration_token,
  'a gateway credential': () => credential(),
};

const places: Record<string, { readonly takes: string; readonly ask: (token: string) => Promise<number> }> = {
  'a control plane with ID tokens': {
    takes: 'an ID token',
    ask: async (token) => (await plane.main.send('GET', '/v1/me', bearer(token))).status,
  },
  'a control plane with an auth service': {
    takes: 'a token of the auth service',
    ask: async (token) => (await delegating.send('GET', '/v1/me', bearer(token))).status,
  },
  'the route for registrations': {
    takes: 'a registration token',
    // The body is refused after the token was accepted.
    ask: async (token) => {
      const { status } = await delegating.send('POST', '/v1/gateway/registrations', bearer(token), {});
      return status === 400 ? 200 : status;
    },
  },
  'the other routes for gateways': {
    takes: 'a gateway credential',
    ask: async (token) => (await askGateway(token)).status,
  },
};

describe.each(Object.entries(places))('%s', (_, { takes, ask }) => {
  test.each(Object.entries(kinds))('with %s', async (kind, make) => {
    const token = await make();
    expect(await ask(token)).toBe(kind === takes ? 200 : 401);
  });
});

test('the auth service never sees a token of this service', async () => {
  for (const kind of ['a registration token', 'a gateway credential']) {
    const token = (await kinds[kind]?.()) ?? '';
    authService.know(token, { sub: 'ada' });
    expect((await delegating.send('GET', '/v1/me', bearer(token))).status).toBe(401);
    expect(authService.calls('validate', token)).toBe(0);
  }
});

describe('a gateway credential', () => {
  const changed = async (claims: object, header: object = {}, secret = registrationSecret) =>
    await new SignJWT(JSON.parse(JSON.stringify({ ...decodeJwt(await credential()), ...claims })))
      .setProtectedHeader({ alg: 'HS256', typ: 'gateway-credential+jwt', ...header })
      .sign(Buffer.from(secret));

  test('names the gateway and its scopes', async () => {
    expect((await askGateway(await credential(['audit-exchanges', 'memberships']))).json).toEqual({
      subject: 'tests',
      scopes: ['audit-exchanges', 'memberships'],
    });
  });

  test('without the scope of a route is forbidden there', async () => {
    const answer = await askGateway(await credential(['memberships']));
    expect(answer).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    expect(answer.json.error).toContain('lacks the scope "audit-exchanges"');
    expect((await askGateway(await changed({ scope: undefined }))).status).toBe(403);
    expect((await askGateway(await changed({ scope: 'audit-exchangesx memberships' }))).status).toBe(403);
  });

  test.each<[string, () => Promise<string>]>([
    ['has expired', () => changed({ exp: 1 })],
    ['has no expiry', () => changed({ exp: undefined })],
    ['is of another issuer', () => changed({ iss: 'urn:cairn:control-plane' })],
    ['is for another audience', () => changed({ aud: 'urn:cairn:agent-registration' })],
    ['is of another type', () => changed({}, { typ: 'agent-registration+jwt' })],
    ['has no type', () => changed({}, { typ: undefined })],
    ['has another secret', () => changed({}, {}, 'x'.repeat(40))],
  ])('that %s is refused', async (_, make) => {
    expect((await askGateway(await make())).status).toBe(401);
  });
});

test('without a secret, nothing is accepted from gateways', async () => {
  const verifier = gatewayVerifier(null, () => new Date());
  await expect(verifier.verify(await credential())).rejects.toMatchObject({ code: 'unavailable' });
});
