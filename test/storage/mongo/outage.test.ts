import { expect, test, vi } from 'vitest';
import { ownContextUrl } from '../../../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { type Answer, putBlob, send } from '../../http/service.ts';
import { describeMongo } from './database.ts';
import { quickTimes, useProxiedService } from './proxied-service.ts';

/** Of a test: each outage is waited for. */
const timeout = 240_000;

describeMongo('a service whose MongoDB goes away', () => {
  const service = useProxiedService(quickTimes);

  const ready = async () => (await send(service, 'GET', '/ready')).json;
  /** A batch of statements about things of its own. */
  const batch = (name: string) => ({
    statements: Array.from({ length: 40 }, (_, at) => ({
      '@context': ownContextUrl,
      '@type': 'MetadataRegistration',
      subject: `urn:uuid:${crypto.randomUUID()}`,
      metadata: cidUrn(cidOf(codecs.raw, `${name} ${at}`)),
      registeredBy: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
      timestamp: '2026-01-01T00:00:00Z',
    })),
    generate_id: true,
  });

  async function expectUnavailable(): Promise<void> {
    const answers = await Promise.all([
      putBlob(service, `lost ${crypto.randomUUID()}`),
      send(service, 'PUT', '/graph/v1', { graph_id: crypto.randomUUID(), name: 'lost' }),
      send(service, 'PUT', '/statements/v1/batch', batch('lost')),
      send(service, 'GET', '/graph/v1'),
      send(service, 'GET', '/statements/v1'),
    ]);
    for (const { status, headers, json } of answers) {
      expect([status, json.code]).toEqual([503, 'unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const { status, json } = await send(service, 'GET', '/ready');
    expect([status, json]).toEqual([200, { status: 'up', problem: expect.stringContaining('store') }]);
  }

  async function expectRecovery(): Promise<void> {
    const status = async () => (await putBlob(service, `after ${crypto.randomUUID()}`)).status;
    await vi.waitFor(
      async () => expect([await ready(), await status()]).toEqual([{ status: 'up' }, 200]),
      60_000,
    );
  }

  test.each([
    ['refuses connections', () => service.proxy.cut()],
    ['is silent', async () => service.proxy.fail('half-open')],
  ])('answers 503 while it %s, and goes on by itself', { timeout }, async (name, takeAway) => {
    const before = await putBlob(service, `before ${name}`);
    expect([before.status, await ready()]).toEqual([200, { status: 'up' }]);
    await takeAway();
    await expectUnavailable();
    expect((await send(service, 'GET', '/health/v1')).status).toBe(200);
    await service.proxy.cut();
    await service.proxy.restore();
    await expectRecovery();
    expect((await send(service, 'GET', `/store/v1/blob/${before.json.cid}`)).text).toBe(`before ${name}`);
  });

  test('has everything acknowledged whenever the connection was cut, and accepts a repeat', {
    timeout,
  }, async () => {
    const blobs: string[] = [];
    const statements: string[] = [];
    let isRunning = true;

    /** Sends the same until it is acknowledged. */
    async function persist(put: () => Promise<Answer>): Promise<Answer | undefined> {
      while (isRunning) {
        const answer = await put();
        if (answer.status < 300) return answer;
        expect([answer.status, answer.json.code]).toEqual([503, 'unavailable']);
      }
      return undefined;
    }
    async function writeBlobs(): Promise<void> {
      for (let at = 0; isRunning; at += 1) {
        const answer = await persist(() => putBlob(service, `blob ${at}`));
        if (answer) blobs.push(answer.json.cid);
      }
    }
    async function writeBatches(writer: number): Promise<void> {
      for (let at = 0; isRunning; at += 1) {
        const body = batch(`${writer} ${at}`);
        const answer = await persist(() => send(service, 'PUT', '/statements/v1/batch', body));
        if (answer) statements.push(...answer.json.results.map((one: { jcs_cid: string }) => one.jcs_cid));
      }
    }

    const writers = [writeBlobs(), writeBatches(1), writeBatches(2)];
    try {
      for (let round = 1; round <= 3; round += 1) {
        const enough = () => blobs.length >= 5 * round && statements.length >= 80 * round;
        await vi.waitFor(() => expect(enough()).toBe(true), 60_000);
        await service.proxy.cut();
        await service.proxy.restore();
      }
    } finally {
      isRunning = false;
    }
    await Promise.all(writers);
    await expectRecovery();
    const exists = async (cid: string) =>
      (await send(service, 'GET', `/store/v1/exists/${cid}`)).json.exists === true;
    const all = [...blobs, ...statements];
    for (let at = 0; at < all.length; at += 50)
      expect(await Promise.all(all.slice(at, at + 50).map(exists))).not.toContain(false);
  });
});
