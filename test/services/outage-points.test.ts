import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outages, points, TcpProxy } from '../../bench/tcp-proxy.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { type Integrity, openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { putBlob, send } from '../http/service.ts';
import { newServiceStore, type ServiceStore } from '../http/service-store.ts';
import { describeMongo, newDatabase } from '../storage/mongo/database.ts';

/** The usual times, a tenth of them. */
const quick =
  '?serverSelectionTimeoutMS=500&connectTimeoutMS=500&heartbeatFrequencyMS=500&socketTimeoutMS=3000&waitQueueTimeoutMS=3000';

describeMongo('a request whose command is cut off', () => {
  let proxy: TcpProxy;
  let store: ServiceStore;
  let service: Integrity;

  beforeAll(async () => {
    proxy = await TcpProxy.before(newDatabase().url);
    store = await newServiceStore('mongodb');
    const { CAIRN_MONGODB_URL: url = '' } = store.environment;
    const environment = {
      ...store.environment,
      CAIRN_WORKERS: '1',
      CAIRN_MONGODB_URL: proxy.url(url) + quick,
    };
    service = await openIntegrity(readSettings(environment), pino({ level: 'silent' }));
  });
  afterAll(async () => {
    await proxy.restore();
    await service[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const statement = () => ({
    statement: {
      '@context': ownContextUrl,
      '@type': 'MetadataRegistration',
      subject: `urn:uuid:${crypto.randomUUID()}`,
      metadata: 'urn:cid:bafkr4ibqpbbrebyyitoknlgaqbllv4yh3dgma7feaxtqaigyx3rdjgktay',
      registeredBy: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
      timestamp: '2026-01-01T00:00:00Z',
    },
    generate_id: true,
  });
  const requests = [
    ['a small blob', () => putBlob(service, crypto.randomUUID())],
    ['a blob of many chunks', () => putBlob(service, crypto.randomUUID().repeat(60_000))],
    ['a statement', () => send(service, 'PUT', '/statements/v1', statement())],
    ['a list', () => send(service, 'GET', '/statements/v1')],
  ] as const;
  const cuts = points.flatMap((point) => outages.map((outage) => ({ point, outage })));

  test.each(cuts)('at its $point with the outage "$outage" is answered, and so is the next', async (cut) => {
    for (const [what, request] of requests) {
      proxy.failAt(cut.point, cut.outage);
      const { status, headers, json } = await request();
      if (status >= 300) {
        expect([what, status, json.code]).toEqual([what, 503, 'unavailable']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await proxy.restore();
      await expect.poll(async () => (await request()).status, { timeout: 30_000 }).toBeLessThan(300);
    }
  });
});
