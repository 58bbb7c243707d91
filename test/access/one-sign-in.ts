import { Readable } from 'node:stream';
import { pino } from 'pino';
import { Visitor } from '../../bench/access/visitor.ts';
import { openServices } from '../../src/composition/services.ts';
import { openShared } from '../../src/composition/shared.ts';
import { openControlPlane } from '../../src/control-plane.ts';
import type { Permission } from '../../src/domain/access/grants.ts';
import { type Fetch, splitByPath } from '../../src/http/control-plane/paths.ts';
import { allLinks, openIntegrityOn } from '../../src/integrity.ts';
import { listen } from '../../src/platform/http/server.ts';
import type { ServedService } from '../../src/platform/settings/setting-table.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import type { Store } from '../../src/storage/open.ts';
import { Browser, bearer, hybrid, origin, variables } from '../http/control-plane/plane.ts';
import { type Answer, answerOf } from '../http/service.ts';
import { newServiceStore } from '../http/service-store.ts';
import { startAuthService, type TestAuthService } from './auth-service.ts';
import { type ProviderOptions, startProvider, type TestProvider } from './provider.ts';

const all: readonly ServedService[] = ['control-plane', 'integrity'];

export type IntegrityMode = 'oidc' | 'auth_service';

/** Both services behind one address, on one store. */
export interface OneSignIn extends AsyncDisposable {
  /** The address for browsers. */
  readonly url: string;
  readonly provider: TestProvider;
  readonly authService: TestAuthService;
  readonly store: Store;
  readonly log: readonly string[];
  /** Gives a subject permissions by project, in either mode. */
  grant(subject: string, permissions: Readonly<Record<string, readonly Permission[]>>): void;
  browser(): Browser;
  /** Sends a request as a script of our pages would, or as a tool. */
  send(
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<Answer>;
  /** What a tool of a subject sends. */
  asTool(subject: string): Promise<Record<string, string>>;
  /** Starts a service again, with other settings. */
  restart(service: ServedService, environment: Readonly<Record<string, string>>): Promise<void>;
}

interface OneSignInOptions extends ProviderOptions {
  /** Of both services. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it listens on a free port, for a real browser. */
  readonly listens?: boolean;
  /**
   * `one process`: like `cairn serve all`. `two processes`: like `cairn serve integrity` and `cairn serve control-plane`
   * with MongoDB. Default: two services that share an open store.
   */
  readonly as?: 'one process' | 'two processes';
}

export async function startOneSignIn(
  mode: IntegrityMode,
  { environment = {}, listens = false, as, ...options }: OneSignInOptions = {},
): Promise<OneSignIn> {
  await using opened = new AsyncDisposableStack();
  const authService = opened.use(await startAuthService());
  let both: Fetch = () => new Response(null, { status: 503 });
  // The settings contain the address, so the server listens before the services exist.
  const fetch = async (request: Request, bindings?: object) => await both(request, bindings);
  const server = listens ? await listen({ fetch, host: '127.0.0.1', port: 0 }) : undefined;
  if (server) opened.defer(() => server.stop(0));
  const url = server?.url ?? origin;
  const redirectUris = [`${url}/v1/auth/callback/idp`];
  const provider = opened.use(await startProvider({ redirectUris, ...options }));
  const place = opened.use(await newServiceStore(as === 'two processes' ? 'mongodb' : 'embedded'));
  const settingsOf = (
    more: Readonly<Record<string, string>> = {},
    services: readonly ServedService[] = all,
  ) =>
    readSettings(
      {
        ...place.environment,
        CAIRN_WORKERS: '1',
        CAIRN_PUBLIC_URL: url,
        CAIRN_CLAIM_NAMESPACE: provider.namespace,
        CAIRN_AUTH_MODE: mode,
        CAIRN_LOGIN_RATE: '1000/1m',
        CAIRN_CALLBACK_RATE: '1000/1m',
        ...(mode === 'oidc'
          ? { CAIRN_OIDC_ISSUER_URL: provider.issuer, CAIRN_OIDC_AUDIENCE: provider.audience }
          : { CAIRN_AUTH_SERVICE_BASE_URL: authService.url, CAIRN_AUTH_SERVICE_ISSUER: provider.issuer }),
        ...hybrid(provider),
        ...variables({ BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com', IDP_REDIRECT_URL: redirectUris[0] ?? '' }),
        ...environment,
        ...more,
      },
      {},
      services,
    );
  const granted = new Map<string, Readonly<Record<string, readonly Permission[]>>>();
  const log: string[] = [];
  const lines = pino({ level: 'debug' }, { write: (line: string) => void log.push(line) });
  const shared = as === undefined ? opened.use(await openShared(settingsOf(), lines, all)) : undefined;
  const open = async (services: readonly ServedService[], more = {}) => {
    const settings = settingsOf(more, shared ? all : services);
    if (!shared) return await openServices(settings, lines, services, { worksOnJobs: false });
    const opening = { worksOnJobs: false, neighbours: [], links: allLinks, besideControlPlane: true };
    const stopping = new AbortController().signal;
    const service = services.includes('integrity')
      ? await openIntegrityOn(shared, settings, lines, { ...opening, stopping })
      : await openControlPlane(shared, settings, lines, { besideIntegrity: true });
    return { fetch: service.app.fetch as Fetch, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
  };
  const running = new Map<ServedService, { readonly fetch: Fetch } & AsyncDisposable>();
  opened.defer(async () => {
    for (const service of new Set(running.values())) await service[Symbol.asyncDispose]();
  });
  const start = async (services: readonly ServedService[], more = {}) => {
    const started = await open(services, more);
    for (const service of services) running.set(service, started);
  };
  if (as === 'one process') await start(all);
  else for (const service of all) await start([service]);
  const fetchOf =
    (service: ServedService): Fetch =>
    (request, bindings) =>
      running.get(service)?.fetch(request, bindings) ?? new Response(null, { status: 503 });
  both = splitByPath(fetchOf('control-plane'), fetchOf('integrity'));
  const connection = () => ({
    incoming: Object.assign(Readable.from([]), { socket: { remoteAddress: '192.0.2.1' } }),
  });
  const fetcher = async (url: string, init: RequestInit) =>
    url.startsWith(`${origin}/`)
      ? await both(new Request(url, init), connection())
      : await globalThis.fetch(url, init);
  const stack = opened.move();
  return {
    url,
    provider,
    authService,
    get store() {
      if (shared) return shared.store;
      throw new Error('Only services that share an open store show it.');
    },
    log,
    grant(subject, permissions) {
      const account = { email: `${subject}@example.com`, email_verified: true, name: subject };
      const isByClaim = mode === 'oidc' && { [`${provider.namespace}/permissions`]: permissions };
      provider.setAccount(subject, { ...account, ...isByClaim });
      granted.set(subject, permissions);
      authService.understand((asked) => {
        const entries = Object.entries(granted.get(asked) ?? {});
        return {
          grants: entries.flatMap(([id, names]) =>
            names.map((permission) => ({ permission, resource: { type: 'project', id } })),
          ),
        };
      });
    },
    browser: () => new Browser(new Visitor(fetcher), provider),
    async send(method, path, headers = {}, body = undefined) {
      const json = body !== undefined && { 'content-type': 'application/json' };
      const init = { method, headers: { ...json, ...headers } };
      const request = new Request(`${url}${path}`, {
        ...init,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      // A body would be read from the connection.
      return await answerOf(await both(request, body === undefined ? connection() : {}));
    },
    asTool: async (subject) => {
      const tokens = await provider.deviceTokens(subject);
      return bearer(mode === 'oidc' ? tokens.access_token : tokens.id_token);
    },
    async restart(service, more) {
      const before = running.get(service);
      await start([service], more);
      await before?.[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
