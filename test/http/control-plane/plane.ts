import { Readable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { Visitor } from '../../../bench/access/visitor.ts';
import { openSharedRateLimits } from '../../../src/composition/shared.ts';
import { type ControlPlane, openControlPlane } from '../../../src/control-plane.ts';
import { readSettings } from '../../../src/platform/settings/settings.ts';
import { openStore, type Store } from '../../../src/storage/open.ts';
import { startProvider, type TestProvider } from '../../access/provider.ts';
import { checkAnswers } from '../declared-answers.ts';
import { type Answer, answerOf } from '../service.ts';
import { newServiceStore, type ServiceStore } from '../service-store.ts';

/** The address of the control plane for browsers. */
export const origin = 'https://plane.example';
export const secret = 'a secret of the tests that has more than 32 bytes';

export interface TestPlane {
  readonly provider: TestProvider;
  readonly store: Store;
  /** All that was logged. */
  readonly log: readonly string[];
  /**
   * A new process on the same store, with other settings if some are given.
   * @param address the source of its requests.
   */
  replica(environment?: Readonly<Record<string, string>>, address?: string): Promise<Replica>;
  /** The first process. */
  readonly main: Replica;
  /** Moves the clock of all processes. */
  pass(ms: number): void;
}

/** One process of the control plane. */
export interface Replica {
  readonly app: ControlPlane['app'];
  send(
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<Answer>;
  /** A new browser. */
  browser(of?: TestProvider): Browser;
}

export const registrationSecret = 'a secret that signs the registration tokens of the tests';
export const gatewaySecret = 'a secret that signs the gateway credentials of the tests';

/** The settings for sign-in by browser and for ID tokens as bearer tokens. */
export function hybrid(provider: TestProvider): Record<string, string> {
  const own = { CAIRN_GATEWAY_SECRET: gatewaySecret };
  const plane = variables({
    ENABLED: 'true',
    REGISTRATION_TOKEN_SECRET: registrationSecret,
    IDP_ENABLED: 'true',
    STATE_SECRET: secret,
    IDP_ISSUER_URL: provider.issuer,
    IDP_CLIENT_ID: provider.browserClient.id,
    IDP_CLIENT_SECRET: provider.browserClient.secret,
    IDP_REDIRECT_URL: `${origin}/v1/auth/callback/idp`,
    BEARER_ENABLED: 'true',
    BEARER_ISSUER_URL: provider.issuer,
    BEARER_CLIENT_ID: provider.deviceClient.id,
  });
  return { ...own, ...plane };
}

export function variables(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`CONTROL_PLANE_AUTH_${name}`, value]),
  );
}

/** A control plane on a store of its own, beside a provider, for all tests of a file. */
export function usePlane(
  settingsOf: (provider: TestProvider) => Record<string, string> = hybrid,
  kind: 'embedded' | 'mongodb' = 'embedded',
): TestPlane {
  const opened = new AsyncDisposableStack();
  const log: string[] = [];
  let provider: TestProvider;
  let serviceStore: ServiceStore;
  let store: Store;
  let main: Replica;
  let passed = 0;
  const now = () => new Date(Date.now() + passed);

  async function replica(
    environment: Readonly<Record<string, string>> = {},
    address = '192.0.2.1',
  ): Promise<Replica> {
    const connection = () => ({
      incoming: Object.assign(Readable.from([]), { socket: { remoteAddress: address } }),
    });
    const settings = readSettings({
      ...serviceStore.environment,
      CAIRN_LOGIN_RATE: '1000/1m',
      CAIRN_CALLBACK_RATE: '1000/1m',
      CAIRN_TOKEN_FAILURE_RATE: '1000/1m',
      CAIRN_CLAIM_NAMESPACE: 'https://cairn.example',
      ...settingsOf(provider),
      ...environment,
    });
    // Only one process can open a folder, so replicas share the open store.
    const isShared = store !== undefined && settings.mongodbUrl === null;
    const own = isShared ? store : opened.use(await openStore(settings, () => undefined));
    store ??= own;
    const lines = pino({ level: 'debug' }, { write: (line: string) => void log.push(line) });
    const rateLimits = opened.use(await openSharedRateLimits(settings, lines));
    const { app } = opened.use(await openControlPlane({ store: own, rateLimits }, settings, lines, { now }));
    checkAnswers(app);
    const fetcher = async (url: string, init: RequestInit) =>
      url.startsWith(`${origin}/`) ? await app.request(url, init, connection()) : await fetch(url, init);
    return {
      app,
      send: async (method, path, headers = {}, body = undefined) =>
        answerOf(
          await app.request(
            `${origin}${path}`,
            {
              method,
              headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
              ...(body !== undefined && { body: JSON.stringify(body) }),
            },
            // A body would be read from the connection.
            body === undefined ? connection() : {},
          ),
        ),
      browser: (of = provider) => new Browser(new Visitor(fetcher), of),
    };
  }

  beforeAll(async () => {
    provider = opened.use(
      await startProvider({
        redirectUris: [`${origin}/v1/auth/callback/idp`],
        // The clock of the control plane runs ahead of that of the provider.
        tokenSeconds: 1_000_000,
      }),
    );
    serviceStore = opened.use(await newServiceStore(kind));
    main = await replica();
  });
  afterAll(() => opened.disposeAsync());
  return {
    get provider() {
      return provider;
    },
    get store() {
      return store;
    },
    get main() {
      return main;
    },
    log,
    replica,
    pass: (ms) => {
      passed += ms;
    },
  };
}

/** A browser without scripts. */
export class Browser {
  readonly visitor: Visitor;
  readonly #provider: TestProvider;

  constructor(visitor: Visitor, provider: TestProvider) {
    this.visitor = visitor;
    this.#provider = provider;
  }

  /** Starts a sign-in. @returns the address of the provider. */
  async begin(query = ''): Promise<URL> {
    return (await this.visitor.open(`${origin}/v1/auth/login?provider=idp${query}`)).url;
  }

  /** Signs in at the provider. @returns the address of the callback. */
  async authorize(subject: string, address?: URL): Promise<URL> {
    return await this.#provider.authorize(address ?? (await this.begin()), subject, this.visitor);
  }

  /** Opens a callback. @returns the final page. */
  async comeBack(callback: URL) {
    return await this.visitor.open(callback);
  }

  async signIn(subject: string, query = '') {
    return await this.comeBack(await this.authorize(subject, await this.begin(query)));
  }

  cookie(name: string): string | undefined {
    return this.visitor.cookies(`${origin}/`).get(name);
  }

  /** The headers of a script of our pages: the cookies, and for changes the CSRF token. */
  headers(method = 'GET'): Record<string, string> {
    const cookie = [...this.visitor.cookies(`${origin}/`)]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    const csrf: Record<string, string> =
      method === 'GET' ? {} : { 'x-csrf-token': this.cookie('svc_csrf') ?? '', origin };
    return { ...(cookie && { cookie }), ...csrf };
  }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
