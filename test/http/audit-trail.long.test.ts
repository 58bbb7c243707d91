import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openShared } from '../../src/composition/shared.ts';
import { permissions } from '../../src/domain/access/grants.ts';
import type { AuditRecord } from '../../src/domain/audit-log/audit-log.ts';
import { type Integrity, openIntegrityOn } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import type { Store } from '../../src/storage/open.ts';
import { startAuthService } from '../access/auth-service.ts';
import { manifest } from '../builders/manifests.ts';
import { auditLogOf } from '../contract/nouns.ts';
import { dataOf, json, type Send, sendAs } from './access-world.ts';
import { newServiceStore } from './service-store.ts';

const namespace = 'https://cairn.example';
const authority = await startAuthService();
afterAll(async () => await authority[Symbol.asyncDispose]());
const authenticated = {
  CAIRN_AUTH_MODE: 'auth_service',
  CAIRN_AUTH_SERVICE_BASE_URL: authority.url,
  CAIRN_CLAIM_NAMESPACE: namespace,
  CAIRN_TOKEN_FAILURE_RATE: '100000/1m',
};

interface Recorded {
  readonly app: Integrity['app'];
  readonly store: Store;
  /** Oldest first. */
  records(): Promise<AuditRecord[]>;
  /** Closes the service; the store stays open. */
  close(): Promise<void>;
}

/** An integrity service for one test. */
async function openRecorded(environment: Record<string, string>): Promise<Recorded> {
  const opened = new AsyncDisposableStack();
  onTestFinished(() => opened.disposeAsync());
  const kept = opened.use(await newServiceStore());
  const settings = readSettings({ ...kept.environment, CAIRN_WORKERS: '1', ...environment });
  const log = pino({ level: 'silent' });
  const shared = opened.use(await openShared(settings, log, ['integrity']));
  const { store } = shared;
  const integrity = opened.use(
    await openIntegrityOn(shared, settings, log, {
      worksOnJobs: true,
      neighbours: [],
      links: [],
      besideControlPlane: false,
      stopping: new AbortController().signal,
    }),
  );
  const anything = { actor: null, action: null, target: null, from: null, until: null };
  return {
    app: integrity.app,
    store,
    records: async () =>
      [...(await auditLogOf(store).list(anything, { after: null, limit: 1_000 })).records].reverse(),
    close: async () => await integrity[Symbol.asyncDispose](),
  };
}

function newToken(granted: unknown, more = {}): { token: string; sub: string } {
  const [token, sub] = [randomUUID(), randomUUID()];
  authority.know(token, { sub, claims: { [`${namespace}/permissions`]: granted, ...more } });
  return { token, sub };
}

const graph = (id: string): Send => ({
  method: 'PUT',
  path: '/graph/v1',
  ...json({ graph_id: id, name: 'a name' }),
});
const statements = (count: number): Send => ({
  method: 'PUT',
  path: '/statements/v1/batch',
  ...json({
    statements: Array.from({ length: count }, () => dataOf(randomUUID())),
    generate_id: true,
  }),
});
const blob: Send = {
  method: 'PUT',
  path: '/store/v1/blob',
  body: 'a text that is stored',
  headers: { 'content-type': 'application/octet-stream' },
};
const limits: Send = {
  method: 'PUT',
  path: '/dynamic-config/v1',
  ...json({ blob_store_fetch_concurrency_limit: 7 }),
};

describe('with authentication', () => {
  test('a new graph and a change of the limits are recorded before the answer', async () => {
    const service = await openRecorded(authenticated);
    const { token, sub } = newToken({ '*': permissions });
    const id = randomUUID();
    expect((await sendAs(service, token, graph(id))).status).toBe(201);
    expect((await sendAs(service, token, graph(id))).status).toBe(409);
    expect((await sendAs(service, token, limits)).status).toBe(200);
    const actor = { issuer: authority.url, subject: sub, means: 'auth_service_bearer' };
    expect(await service.records()).toMatchObject([
      { action: 'PUT /graph/v1', actor, target: id, outcome: 'done', code: null },
      { action: 'PUT /graph/v1', actor, target: id, outcome: 'refused', code: 'conflict' },
      {
        action: 'PUT /dynamic-config/v1',
        outcome: 'done',
        details: { blob_store_fetch_concurrency_limit: 7 },
      },
    ]);
  });

  test('a write of content is recorded once per request, soon after the answer, without the content', async () => {
    const service = await openRecorded(authenticated);
    const { token, sub } = newToken({ '*': permissions });
    expect((await sendAs(service, token, statements(50))).status).toBe(201);
    expect((await sendAs(service, token, blob)).status).toBe(200);
    await expect.poll(() => service.records()).toHaveLength(2);
    const records = await service.records();
    const actor = { subject: sub };
    expect(records).toMatchObject([
      { action: 'PUT /statements/v1/batch', actor, target: null, outcome: 'done', details: null },
      { action: 'PUT /store/v1/blob', actor, outcome: 'done', details: null },
    ]);
    const told = JSON.stringify(records);
    for (const secret of [token, 'a text that is stored']) expect(told).not.toContain(secret);
  });

  test('queued records are stored when the service closes', async () => {
    const service = await openRecorded(authenticated);
    const { token } = newToken({ '*': permissions });
    await Promise.all(Array.from({ length: 20 }, () => sendAs(service, token, statements(1))));
    await service.close();
    expect(await service.records()).toHaveLength(20);
  });

  test('a refused change is recorded, with the caller if known', async () => {
    const service = await openRecorded(authenticated);
    const { token, sub } = newToken({ '*': ['view_project_data'] });
    const unknown = randomUUID();
    expect((await sendAs(service, token, graph(randomUUID()))).status).toBe(403);
    expect((await sendAs(service, token, blob)).status).toBe(403);
    expect((await sendAs(service, unknown, limits)).status).toBe(401);
    expect((await sendAs(service, undefined, limits)).status).toBe(401);
    await service.close();
    const records = await service.records();
    expect(records.map(({ outcome, code, actor }) => [outcome, code, actor?.subject])).toEqual([
      ['refused', 'forbidden', sub],
      ['refused', 'forbidden', sub],
      ['refused', 'unauthorized', undefined],
      ['refused', 'unauthorized', undefined],
    ]);
    expect(JSON.stringify(records)).not.toContain(unknown);
  });

  test('refused attempts are recorded up to the limit of a minute', async () => {
    const service = await openRecorded(authenticated);
    for (let at = 0; at < 20; at += 1)
      await Promise.all(Array.from({ length: 40 }, () => sendAs(service, undefined, limits)));
    await service.close();
    const { length } = await service.records();
    expect(length).toBeGreaterThanOrEqual(300);
    // A minute may have ended meanwhile.
    expect(length).toBeLessThanOrEqual(600);
  });

  test('attempts on missing exports are recorded up to the same limit', async () => {
    const service = await openRecorded(authenticated);
    const { token } = newToken({});
    const removal = (): Send => ({ method: 'DELETE', path: `/manifest/v1/exports/${randomUUID()}` });
    for (let at = 0; at < 20; at += 1) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => sendAs(service, token, removal())));
      expect(answers.every(({ status }) => status === 404)).toBe(true);
    }
    await service.close();
    const records = await service.records();
    expect(records.length).toBeGreaterThanOrEqual(300);
    expect(records.length).toBeLessThanOrEqual(600);
  });

  test.each<[string, () => Send]>([
    ['a graph', () => graph(randomUUID())],
    ['a graph, of no sense', () => ({ ...graph(randomUUID()), ...json({}) })],
    ['a manifest', () => ({ method: 'POST', path: '/manifest/v1', ...json({ version: '3' }) })],
    ['a manifest, of no type', () => ({ method: 'POST', path: '/manifest/v1', body: 'x' })],
    ['an export, of no name', () => ({ method: 'DELETE', path: '/manifest/v1/exports/x' })],
  ])(
    'attempts that only the auth service can judge are recorded up to the same limit: %s',
    async (_what, attempt) => {
      const service = await openRecorded(authenticated);
      const token = randomUUID();
      authority.know(token, { sub: randomUUID(), claims: {} });
      for (let at = 0; at < 20; at += 1) {
        const answers = await Promise.all(
          Array.from({ length: 40 }, () => sendAs(service, token, attempt())),
        );
        expect(new Set(answers.map(({ status }) => Math.floor(status / 100)))).toEqual(new Set([4]));
      }
      await service.close();
      const records = await service.records();
      expect(records.length).toBeGreaterThanOrEqual(300);
      expect(records.length).toBeLessThanOrEqual(600);
      expect(records.every(({ outcome }) => outcome === 'refused')).toBe(true);
    },
  );

  test('the removal of an export is recorded before the answer', async () => {
    const service = await openRecorded(authenticated);
    const { token, sub } = newToken({ '*': permissions });
    const begun = await sendAs(service, token, {
      method: 'GET',
      path: '/manifest/v1',
      headers: { prefer: 'respond-async' },
    });
    const path = begun.headers.get('location') ?? '';
    expect((await sendAs(service, token, { method: 'DELETE', path })).status).toBe(204);
    expect(await service.records()).toMatchObject([
      { actor: { subject: sub }, target: path.split('/').at(-1), outcome: 'done' },
    ]);
  });

  test('reads and computations are not recorded', async () => {
    const service = await openRecorded(authenticated);
    const { token } = newToken({ '*': permissions });
    const compute = '/utils/v1/integrity/statement/compute-id';
    const { status } = await sendAs(service, token, {
      method: 'POST',
      path: compute,
      ...json({ statement: dataOf('x') }),
    });
    expect(status).toBe(200);
    for (const path of ['/graph/v1', '/statements/v1', '/dynamic-config/v1', '/health/v1', '/openapi.json'])
      expect((await sendAs(service, token, { method: 'GET', path })).status).toBe(200);
    await service.close();
    expect(await service.records()).toEqual([]);
  });
});

describe('without authentication', () => {
  test('graphs and limits are recorded, content is not', async () => {
    const service = await openRecorded({});
    const id = randomUUID();
    for (const sent of [graph(id), statements(3), blob, limits])
      expect((await sendAs(service, undefined, sent)).status).toBeLessThan(300);
    await service.close();
    const actor = { issuer: 'disabled', means: 'disabled' };
    expect(await service.records()).toMatchObject([
      { action: 'PUT /graph/v1', actor, target: id, outcome: 'done' },
      { action: 'PUT /dynamic-config/v1', actor, outcome: 'done' },
    ]);
  });

  test('an import is recorded with its graph, whether it succeeds or fails', async () => {
    const service = await openRecorded({});
    const id = randomUUID();
    const send = async (body: unknown) =>
      await sendAs(service, undefined, {
        method: 'POST',
        path: `/manifest/v1?graph_id=${id}&name=imported`,
        ...json(body),
      });
    expect((await send({ version: 9 })).status).toBe(400);
    expect((await send(manifest())).status).toBe(201);
    expect(await service.records()).toMatchObject([
      { action: 'POST /manifest/v1', target: id, outcome: 'refused' },
      { action: 'POST /manifest/v1', target: id, outcome: 'done', code: null },
    ]);
  });
});
