import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TcpProxy } from '../../bench/tcp-proxy.ts';
import { BullQueue } from '../../queues/bullmq.ts';
import { type Integrity, openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { answerOf } from '../http/service.ts';
import { newServiceStore, type ServiceStore } from '../http/service-store.ts';
import { describeRedis, removeKeys } from '../queues/redis.ts';

describeRedis('during an outage of Redis', () => {
  let store: ServiceStore;
  let proxy: TcpProxy;
  let integrity: Integrity;
  let redis: { url: string; prefix: string };

  beforeAll(async () => {
    store = await newServiceStore('mongodb');
    const { CAIRN_REDIS_URL: url = '', CAIRN_REDIS_PREFIX: prefix = '' } = store.environment;
    redis = { url, prefix };
    proxy = await TcpProxy.before(url);
    const settings = readSettings({
      ...store.environment,
      CAIRN_REDIS_URL: proxy.url(url),
      CAIRN_WORKERS: '1',
    });
    integrity = await openIntegrity(settings, pino({ level: 'silent' }));
  });
  afterAll(async () => {
    await proxy.restore();
    await integrity[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  const get = async (path: string, headers: Record<string, string> = {}) =>
    await answerOf(await integrity.app.request(path, { headers }));
  const begin = async () => {
    const accepted = await get('/manifest/v1', { prefer: 'respond-async' });
    expect(accepted.status, accepted.text).toBe(202);
    return String(accepted.headers.get('location'));
  };
  const stateOf = async (path: string) => (await get(path)).json.state;

  test('the service stays ready, and works on jobs when Redis is back', async () => {
    await proxy.cut();
    expect((await get('/ready')).json).toEqual({ status: 'up' });
    const path = await begin();
    expect((await get('/graph/v1')).status).toBe(200);
    await proxy.restore();
    await expect.poll(async () => await stateOf(path)).toBe('done');
  });

  test('a job that is created while Redis is silent is done later', async () => {
    proxy.fail('half-open');
    const path = await begin();
    expect((await get('/ready')).json).toEqual({ status: 'up' });
    await proxy.cut();
    await proxy.restore();
    await expect.poll(async () => await stateOf(path)).toBe('done');
  });

  test('a job is done from its record after Redis came back empty', async () => {
    await proxy.cut();
    const path = await begin();
    await removeKeys(redis);
    await proxy.restore();
    await expect.poll(async () => await stateOf(path)).toBe('done');
  });
});

describeRedis('a queue without Redis', () => {
  test.concurrent.each(['refuse', 'half-open'] as const)('is closed all the same: %s', async (away) => {
    const { CAIRN_TEST_REDIS_URL: url = '' } = process.env;
    await using proxy = await TcpProxy.before(url);
    const prefix = `cairn-test-${randomUUID()}`;
    const queue = await BullQueue.open({
      url: proxy.url(url),
      prefix,
      concurrency: 1,
      onError: () => undefined,
    });
    const begun = Promise.withResolvers<AbortSignal>();
    const ended = Promise.withResolvers<void>();
    queue.work(async (_job, signal) => {
      begun.resolve(signal);
      await ended.promise;
    });
    await queue.enqueue({ kind: 'manifest-export', id: randomUUID() });
    const signal = await begun.promise;
    proxy.fail(away);
    let isClosed = false;
    const closing = queue[Symbol.asyncDispose]().then(() => {
      isClosed = true;
    });
    expect([signal.aborted, isClosed]).toEqual([true, false]);
    ended.resolve();
    await closing;
    await removeKeys({ url, prefix });
  });
});
