import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { TcpProxy } from '../../../bench/tcp-proxy.ts';
import { type Integrity, openIntegrity } from '../../../src/integrity.ts';
import { readSettings } from '../../../src/platform/settings/settings.ts';
import { newServiceStore, type ServiceStore } from '../../http/service-store.ts';
import { newDatabase } from './database.ts';

/** The usual times of the driver, a tenth of them. */
export const quickTimes =
  '?serverSelectionTimeoutMS=500&connectTimeoutMS=500&heartbeatFrequencyMS=500&socketTimeoutMS=3000';

/**
 * A service whose MongoDB is behind a proxy that can fail, for all tests of a suite.
 * @param options of the connection string.
 */
export function useProxiedService(options: string): {
  readonly proxy: TcpProxy;
  readonly app: Integrity['app'];
} {
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
      CAIRN_MONGODB_URL: proxy.url(url) + options,
    };
    service = await openIntegrity(readSettings(environment), pino({ level: 'silent' }));
  });
  afterAll(async () => {
    await proxy.restore();
    await service[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
  return {
    get proxy() {
      return proxy;
    },
    get app() {
      return service.app;
    },
  };
}
