import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openServices, type Services } from '../../src/composition/services.ts';
import type { ServedService } from '../../src/platform/settings/setting-table.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { variables } from './control-plane/plane.ts';
import { answerOf } from './service.ts';
import { newServiceStore, type ServiceStore } from './service-store.ts';

let store: ServiceStore;
beforeAll(async () => {
  store = await newServiceStore();
});
afterAll(() => store[Symbol.asyncDispose]());

async function open(
  names: readonly ServedService[],
  environment: Record<string, string> = {},
  log = pino({ level: 'silent' }),
): Promise<Services> {
  const settings = readSettings({ ...store.environment, CAIRN_WORKERS: '1', ...environment });
  return await openServices(settings, log, names, { worksOnJobs: false });
}

async function get({ fetch }: Services, path: string, headers: Record<string, string> = {}) {
  const request = new Request(`http://127.0.0.1:3050${path}`, {
    headers: { host: '127.0.0.1:3050', ...headers },
  });
  return await answerOf(await fetch(request));
}

const tools = variables({
  ENABLED: 'true',
  BEARER_ENABLED: 'true',
  BEARER_ISSUER_URL: 'https://idp.example',
  BEARER_CLIENT_ID: 'tools',
});
const browsers = variables({
  ENABLED: 'true',
  IDP_ENABLED: 'true',
  STATE_SECRET: 'a-secret-of-thirty-two-bytes-or-more',
  IDP_CLIENT_ID: 'plane',
  IDP_CLIENT_SECRET: 'secret',
  IDP_REDIRECT_URL: 'http://127.0.0.1:3050/v1/auth/callback/idp',
});

describe('behind one address', () => {
  test('each path belongs to one service', async () => {
    await using services = await open(['integrity', 'control-plane']);
    for (const path of [
      '/health',
      '/health/v1',
      '/ready',
      '/v1/me',
      '/graph/v1',
      '/ui/account',
      '/ui/lineage',
      '/docs',
    ])
      expect({ path, status: (await get(services, path)).status }).toEqual({ path, status: 200 });
  });

  test('one description covers both, with the credentials that each demands', async () => {
    await using services = await open(['integrity', 'control-plane'], {
      ...tools,
      CAIRN_AUTH_MODE: 'auth_service',
      CAIRN_AUTH_SERVICE_BASE_URL: 'http://127.0.0.1:1',
    });
    const { json } = await get(services, '/openapi.json');
    expect(Object.keys(json.paths)).toEqual(
      expect.arrayContaining(['/v1/me', '/v1/users', '/statements/v1', '/graph/v1', '/health', '/health/v1']),
    );
    expect(json.info.title).toBe('Cairn');
    expect(Object.keys(json.components.securitySchemes).toSorted()).toEqual([
      'bearer',
      'gateway',
      'registration',
      'session',
      'tool',
    ]);
    expect(json.paths['/v1/me'].get.security).toEqual([{ session: [] }, { tool: [] }]);
    expect(json.paths['/graph/v1'].get.security).toEqual([{ bearer: [] }]);
    expect(json.paths['/health'].get.security).toEqual([]);
  });

  test('the description demands credentials only of a service that authenticates', async () => {
    await using services = await open(['integrity', 'control-plane'], tools);
    const { paths, components } = (await get(services, '/openapi.json')).json;
    const schemes = ['gateway', 'registration', 'session', 'tool'];
    expect(Object.keys(components.securitySchemes).toSorted()).toEqual(schemes);
    expect(paths['/v1/me'].get.security).toEqual([{ session: [] }, { tool: [] }]);
    expect(paths['/graph/v1'].get.security).toEqual([]);
  });

  test('each service authenticates its own callers', async () => {
    await using services = await open(['integrity', 'control-plane'], tools);
    expect((await get(services, '/v1/me')).status).toBe(401);
    expect((await get(services, '/graph/v1')).status).toBe(200);
    expect((await get(services, '/graph/v1', { origin: 'https://evil.example' })).status).toBe(403);
  });

  test('guesses of tokens from an address are counted for all services together', async () => {
    await using services = await open(['integrity', 'control-plane'], {
      ...tools,
      CAIRN_AUTH_MODE: 'oidc',
      CAIRN_OIDC_ISSUER_URL: 'http://127.0.0.1:1',
      CAIRN_OIDC_AUDIENCE: 'cairn',
      CAIRN_CLAIM_NAMESPACE: 'https://cairn.example',
      CAIRN_TOKEN_FAILURE_RATE: '2/1h',
    });
    const guess = async (path: string) =>
      (await get(services, path, { authorization: 'Bearer guessed' })).status;
    expect([await guess('/v1/me'), await guess('/graph/v1')]).toEqual([401, 401]);
    expect([await guess('/v1/me'), await guess('/graph/v1')]).toEqual([429, 429]);
  });

  test('the start page is that of the integrity service, and explains sign-ins that failed', async () => {
    await using services = await open(['integrity', 'control-plane'], browsers);
    expect((await get(services, '/')).headers.get('location')).toBe('/ui');
    expect((await get(services, '/ui')).text).toContain('Runs</h2>');
    expect((await get(services, '/ui?error=expired')).headers.get('location')).toBe(
      '/ui/sign-in?error=expired',
    );
  });
});

describe('alone', () => {
  test('the control plane has no routes of the integrity service', async () => {
    await using services = await open(['control-plane']);
    expect((await get(services, '/v1/me')).status).toBe(200);
    expect((await get(services, '/graph/v1')).status).toBe(404);
    expect((await get(services, '/')).headers.get('location')).toBe('/ui');
    const { json } = await get(services, '/openapi.json');
    expect(Object.keys(json.paths)).not.toContain('/graph/v1');
  });

  test('the integrity service has no routes of the control plane', async () => {
    await using services = await open(['integrity']);
    expect((await get(services, '/v1/me')).status).toBe(404);
    expect((await get(services, '/health')).status).toBe(404);
    expect((await get(services, '/graph/v1')).status).toBe(200);
  });

  test.each([
    ['that asks nobody', {}, false],
    ['that asks who is calling', tools, true],
  ])('a control plane %s counts attempts in Redis only if it asks', async (_name, environment, counts) => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const nowhere = { CAIRN_REDIS_URL: 'redis://127.0.0.1:1' };
    await using _services = await open(['control-plane'], { ...environment, ...nowhere }, log);
    expect(lines.some((line) => line.includes('counts attempts alone'))).toBe(counts);
  });
});

test('a DID that the service has registered stays registered when the signing key changes', async () => {
  await using own = await newServiceStore();
  using folder = temporaryFolder();
  const file = join(folder.path, 'keys.json');
  const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const register = async (did: string) => {
    const settings = readSettings({ ...own.environment, CAIRN_WORKERS: '1', CAIRN_SIGNING_KEY_FILE: file });
    const log = pino({ level: 'silent' });
    await using services = await openServices(settings, log, ['integrity'], { worksOnJobs: false });
    const url = `http://127.0.0.1:3050/statements/v1/create/did/${did}`;
    return await answerOf(
      await services.fetch(new Request(url, { method: 'PUT', headers: { host: '127.0.0.1' } })),
    );
  };
  const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
  const former = newKey();
  await writeFile(file, JSON.stringify(former));
  const first = await register(did);
  await writeFile(file, JSON.stringify({ keys: [newKey(), former] }));
  const again = await register(did);
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.json.statement_id).toBe(first.json.statement_id);
  await writeFile(file, JSON.stringify(newKey()));
  expect((await register(did)).status).toBe(201);
});
