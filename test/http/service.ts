import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type Integrity, openIntegrity } from '../../src/integrity.ts';
import { listen, type RunningServer } from '../../src/platform/http/server.ts';
import type { Log } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { checkAnswers } from './declared-answers.ts';
import { newServiceStore, type ServiceStore, type StoreKind } from './service-store.ts';

export interface Service {
  readonly app: Integrity['app'];
  /** The folder of the store. */
  readonly folder: string;
  /** What uploads have left behind in the store. */
  orphans(): Promise<readonly string[]>;
  /** Closes the service and opens it again on the same store. */
  restart(environment?: Record<string, string>): Promise<void>;
}

/** A whole integrity service on a store of its own, for all tests of a file. */
export function useService(
  environment: Record<string, string> = {},
  log: Log = pino({ level: 'silent' }),
  kind: StoreKind = 'embedded',
): Service {
  let integrity: Integrity;
  let store: ServiceStore;
  const open = async (more: Record<string, string> = {}) => {
    const settings = readSettings({ ...store.environment, CAIRN_WORKERS: '1', ...environment, ...more });
    integrity = await openIntegrity(settings, log);
    checkAnswers(integrity.app);
  };
  beforeAll(async () => {
    store = await newServiceStore(kind);
    await open();
  });
  afterAll(async () => {
    await integrity[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
  return {
    get app() {
      return integrity.app;
    },
    get folder() {
      return String(store.environment.CAIRN_DATA_DIR);
    },
    orphans: () => store.orphans(),
    async restart(more) {
      await integrity[Symbol.asyncDispose]();
      await open(more);
    },
  };
}

/** The service on a free port, for all tests of a file. */
export function useServer(service: Service): Pick<RunningServer, 'url'> {
  let server: RunningServer;
  beforeAll(async () => {
    server = await listen({ fetch: (request) => service.app.fetch(request), host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.stop(0));
  return {
    get url() {
      return server.url;
    },
  };
}

/** Anything that answers requests. */
export interface Asked {
  readonly app: { request(path: string, init: RequestInit): Response | Promise<Response> };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
  readonly json: any;
}

/** Sends JSON and reads the answer. */
export async function send(
  service: Asked,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const init: RequestInit = {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  };
  if (body !== undefined)
    init.body =
      typeof body === 'string' || body instanceof Uint8Array
        ? (body as RequestInit['body'])
        : JSON.stringify(body);
  return await answerOf(await service.app.request(path, init));
}

export async function putBlob(
  service: Asked,
  bytes: RequestInit['body'],
  query = '',
  headers: Record<string, string> = {},
) {
  return await answerOf(
    await service.app.request(`/store/v1/blob${query}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body: bytes,
      duplex: 'half',
    } as RequestInit),
  );
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text ? JSON.parse(text) : undefined,
  };
}
