import { describe, test } from 'vitest';
import { outages, points } from '../../bench/tcp-proxy.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { putBlob, send } from '../http/service.ts';
import { describeMongo } from '../storage/mongo/database.ts';
import { quickTimes, useProxiedService } from '../storage/mongo/proxied-service.ts';

// Most of the time goes into waiting, so each point has a service of its own and they wait beside each other.
describeMongo('a request whose command is cut off', () => {
  describe.concurrent.each(points)('at its %s', (point) => {
    const service = useProxiedService(`${quickTimes}&waitQueueTimeoutMS=3000`);

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

    test.for(outages)(
      'with the outage "%s" is answered, and so is the next',
      { concurrent: false },
      async (outage, { expect }) => {
        for (const [what, request] of requests) {
          service.proxy.failAt(point, outage);
          const { status, headers, json } = await request();
          if (status >= 300) {
            expect([what, status, json.code]).toEqual([what, 503, 'unavailable']);
            expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
          }
          await service.proxy.restore();
          await expect.poll(async () => (await request()).status, { timeout: 30_000 }).toBeLessThan(300);
        }
      },
    );
  });
});
