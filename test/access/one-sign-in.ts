import { Readable } from 'node:stream';
import { pino } from 'pino';
import { Visitor } from '../../bench/access/visitor.ts';
import { openShared } from '../../src/composition/shared.ts';
import { openControlPlane } from '../../src/control-plane.ts';
import type { Permission } from '../../src/domain/access/grants.ts';
import { splitByPath } from '../../src/http/control-plane/paths.ts';
import { allLinks, openIntegrityOn } from '../../src/integrity.ts';
import type { ServedService } from '../../src/platform/settings/setting-table.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import type { Store } from '../../src/storage/open.ts';
import { Browser, bearer, hybrid, origin, variables } from '../http/control-plane/plane.ts';
import { type Answer, answerOf } from '../http/service.ts';
import { newServiceStore } from '../http/service-store.ts';
import { startAuthService, type TestAuthService } from './auth-service.ts';
import { type ProviderOptions, startProvider, type TestProvider } from './provider.ts';

export type IntegrityMode = 'oidc' | 'auth_service';

/** Both services behind one address, each as if in a process of its own, on one store. */
export interface OneSignIn extends AsyncDisposable {
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

/** @param environment of both services. */
export async function startOneSignIn(
  mode: IntegrityMode,
  {
    environment = {},
    ...options
  }: ProviderOptions & { readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<OneSignIn> {
  await using opened = new AsyncDisposableStack();
  const authService = opened.use(await startAuthService());
  const redirectUris = [`${origin}/v1/auth/callback/idp`];
  const provider = opened.use(await startProvider({ redirectUris, ...options }));
  const place = opened.use(await newServiceStore());
  const settingsOf = (more: Readonly<Record<string, string>> = {}) =>
    readSettings({
      ...place.environment,
      CAIRN_WORKERS: '1',
      CAIRN_PUBLIC_URL: origin,
      CAIRN_CLAIM_NAMESPACE: provider.namespace,
      CAIRN_AUTH_MODE: mode,
      CAIRN_LOGIN_RATE: '1000/1m',
      CAIRN_CALLBACK_RATE: '1000/1m',
      ...(mode === 'oidc'
        ? { CAIRN_OIDC_ISSUER_URL: provider.issuer, CAIRN_OIDC_AUDIENCE: provider.audience }
        : { CAIRN_AUTH_SERVICE_BASE_URL: authService.url, CAIRN_AUTH_SERVICE_ISSUER: provider.issuer }),
      ...hybrid(provider),
      ...variables({ BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com' }),
      ...environment,
      ...more,
    });
  const settings = settingsOf();
  const granted = new Map<string, Readonly<Record<string, readonly Permission[]>>>();
  const log: string[] = [];
  const lines = pino({ level: 'debug' }, { write: (line: string) => void log.push(line) });
  const shared = opened.use(await openShared(settings, lines, ['integrity', 'control-plane']));
  const stopping = new AbortController().signal;
  const open = {
    'control-plane': async (more = {}) =>
      await openControlPlane(shared, settingsOf(more), lines, { besideIntegrity: true, stopping }),
    integrity: async (more = {}) =>
      await openIntegrityOn(shared, settingsOf(more), lines, {
        worksOnJobs: false,
        neighbours: [],
        links: allLinks,
        besideControlPlane: true,
        stopping,
      }),
  };
  let plane = await open['control-plane']();
  opened.defer(async () => await plane[Symbol.asyncDispose]());
  let integrity = await open.integrity();
  opened.defer(async () => await integrity[Symbol.asyncDispose]());
  const both = (request: Request, bindings?: object) =>
    splitByPath(plane.app.fetch, integrity.app.fetch)(request, bindings);
  const connection = () => ({
    incoming: Object.assign(Readable.from([]), { socket: { remoteAddress: '192.0.2.1' } }),
  });
  const fetcher = async (url: string, init: RequestInit) =>
    url.startsWith(`${origin}/`) ? await both(new Request(url, init), connection()) : await fetch(url, init);
  const stack = opened.move();
  return {
    provider,
    authService,
    store: shared.store,
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
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const init = { method, headers: { ...json, ...headers } };
      const request = new Request(`${origin}${path}`, {
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
      const before = service === 'integrity' ? integrity : plane;
      if (service === 'integrity') integrity = await open.integrity(more);
      else plane = await open['control-plane'](more);
      await before[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
