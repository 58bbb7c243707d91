import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { TcpProxy } from '../../bench/tcp-proxy.ts';
import { openShared } from '../../src/composition/shared.ts';
import { openControlPlane } from '../../src/control-plane.ts';
import { beginSession } from '../../src/domain/control-plane/sessions.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { Seal } from '../../src/platform/sign-in/seal.ts';
import { sessionsOf, usersOf } from '../contract/nouns.ts';
import { origin, secret, variables } from '../http/control-plane/plane.ts';
import { answerOf } from '../http/service.ts';
import { newServiceStore } from '../http/service-store.ts';
import { describeMongo, newDatabase } from '../storage/mongo/database.ts';

const quick =
  '?serverSelectionTimeoutMS=500&connectTimeoutMS=500&heartbeatFrequencyMS=500&socketTimeoutMS=3000';
const browsers = variables({
  ENABLED: 'true',
  IDP_ENABLED: 'true',
  STATE_SECRET: secret,
  IDP_CLIENT_ID: 'plane',
  IDP_CLIENT_SECRET: 'unused',
  IDP_REDIRECT_URL: `${origin}/v1/auth/callback/idp`,
});

describeMongo('a control plane during an outage of MongoDB', () => {
  test('refuses everyone with 503 and recovers by itself', { timeout: 240_000 }, async () => {
    const { url } = newDatabase();
    await using proxy = await TcpProxy.before(url);
    await using place = await newServiceStore('mongodb');
    const settings = readSettings(
      { ...place.environment, ...browsers, CAIRN_MONGODB_URL: proxy.url(url) + quick },
      {},
      ['control-plane'],
    );
    const now = () => new Date();
    const log = pino({ level: 'silent' });
    await using shared = await openShared(settings, log, ['control-plane']);
    const { store } = shared;
    await using plane = await openControlPlane(shared, settings, log, { besideIntegrity: false, now });

    const issuer = settings.authIdpIssuerUrl;
    const identity = { issuer, subject: 'ada', name: null, email: null, emailVerified: false };
    const user = await usersOf(store).logIn(identity, { newId: crypto.randomUUID(), now: Date.now() });
    await usersOf(store).change(user.id, { role: 'admin' }, Date.now());
    const newSecret = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const { secretId } = new Seal(secret, 'tests', now);
    const session = await beginSession(
      { sessions: sessionsOf(store).records, now, newSecret },
      { userId: user.id, issuer, subject: 'ada', secretId, sealedTokens: null },
      { maxAge: 3_600_000, idleTimeout: 3_600_000 },
    );
    const headers = {
      cookie: `svc_session=${session.id}; svc_csrf=${session.csrfToken}`,
      'x-csrf-token': session.csrfToken,
      'content-type': 'application/json',
    };
    const send = async (method: string, path: string, body?: object) =>
      answerOf(
        await plane.app.request(`${origin}${path}`, {
          method,
          headers,
          ...(body && { body: JSON.stringify(body) }),
        }),
      );

    expect((await send('GET', '/v1/me')).json).toMatchObject({ subject: 'ada', role: 'admin' });
    await proxy.cut();
    const answers = await Promise.all([
      send('GET', '/v1/me'),
      send('GET', '/v1/users'),
      send('PATCH', `/v1/users/${user.id}`, { name: 'lost' }),
      send('POST', '/v1/auth/logout'),
    ]);
    for (const { status, json, headers: told } of answers) {
      expect([status, json.code]).toEqual([503, 'unavailable']);
      expect(Number(told.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await send('GET', '/ready')).status).toBe(503);
    expect((await send('GET', '/health')).status).toBe(200);
    expect((await send('GET', '/v1/auth/providers')).status).toBe(200);
    await proxy.restore();
    await vi.waitFor(async () => expect((await send('GET', '/v1/me')).status).toBe(200), 60_000);
    expect((await send('GET', '/v1/me')).json.user.name).toBeNull();
  });
});
