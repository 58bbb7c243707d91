import { pino } from 'pino';
import { openShared } from '../../src/composition/shared.ts';
import { openControlPlane } from '../../src/control-plane.ts';
import { listen, type RunningServer } from '../../src/platform/http/server.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import type { Store } from '../../src/storage/open.ts';
import { hybrid, variables } from '../http/control-plane/plane.ts';
import { newServiceStore, type ServiceStore } from '../http/service-store.ts';
import { startProvider, type TestProvider } from './provider.ts';

/** A control plane with sign-in by browser and its own provider. */
export interface BrowserPlane extends AsyncDisposable {
  readonly url: string;
  readonly provider: TestProvider;
  readonly store: Pick<Store, 'of'>;
  /** Moves the clock of the service forward. */
  later(milliseconds: number): void;
}

/**
 * On a free port; `ada@example.com` is its first administrator.
 * @param options `uiBaseUrl`: of another user interface than its own.
 */
export async function startBrowserPlane({ uiBaseUrl = '' } = {}): Promise<BrowserPlane> {
  await using opened = new AsyncDisposableStack();
  const provider = opened.use(await startProvider());
  const place: ServiceStore = opened.use(await newServiceStore());
  let plane: Awaited<ReturnType<typeof openControlPlane>> | undefined;
  let ahead = 0;
  // The settings contain the address, so the server listens before the control plane exists.
  const server: RunningServer = await listen({
    fetch: (request, bindings) => plane?.app.fetch(request, bindings) ?? new Response(null, { status: 503 }),
    host: '127.0.0.1',
    port: 0,
  });
  opened.defer(() => server.stop(0));
  const callback = `${server.url}/v1/auth/callback/idp`;
  provider.allowRedirect(callback);
  const settings = readSettings({
    ...place.environment,
    CAIRN_LOGIN_RATE: '1000/1m',
    CAIRN_CALLBACK_RATE: '1000/1m',
    ...hybrid(provider),
    ...variables({
      IDP_REDIRECT_URL: callback,
      BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
      UI_BASE_URL: uiBaseUrl,
    }),
  });
  const log = pino({ level: 'silent' });
  const { store, rateLimits } = opened.use(await openShared(settings, log, ['control-plane']));
  plane = opened.use(
    await openControlPlane({ store, rateLimits }, settings, log, { now: () => new Date(Date.now() + ahead) }),
  );
  const stack = opened.move();
  return {
    url: server.url,
    provider,
    store,
    later: (milliseconds) => {
      ahead += milliseconds;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
