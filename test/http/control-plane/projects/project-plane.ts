import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { openSharedRateLimits } from '../../../../src/composition/shared.ts';
import { type ControlPlane, openControlPlane } from '../../../../src/control-plane.ts';
import { readSettings } from '../../../../src/platform/settings/settings.ts';
import { openStore, type Store } from '../../../../src/storage/open.ts';
import { startAuthService, type TestAuthService } from '../../../access/auth-service.ts';
import { checkAnswers } from '../../declared-answers.ts';
import { type Answer, answerOf } from '../../service.ts';
import { newServiceStore } from '../../service-store.ts';
import { variables } from '../plane.ts';

const namespace = 'https://cairn.example';

export interface ProjectPlane {
  readonly store: Store;
  readonly authService: TestAuthService;
  /** @param token null: without one. Default: the token of an administrator. */
  get(path: string, token?: string | null, headers?: Record<string, string>): Promise<Answer>;
}

/** The settings of a plane whose callers the auth service knows: the tokens `admin` and `member`. */
export function askingAuthService({ url }: TestAuthService): Record<string, string> {
  return variables({
    ENABLED: 'true',
    BEARER_ENABLED: 'true',
    BEARER_MODE: 'auth_service',
    BEARER_AUTH_SERVICE_BASE_URL: url,
  });
}

/** A control plane on a store of its own beside an auth service, for all tests of a file. */
export function useProjectPlane(
  settingsOf = askingAuthService,
  kind: 'embedded' | 'mongodb' = 'embedded',
): ProjectPlane {
  const opened = new AsyncDisposableStack();
  let store: Store;
  let authService: TestAuthService;
  let app: ControlPlane['app'];
  beforeAll(async () => {
    authService = opened.use(await startAuthService());
    authService.know('admin', { sub: 'admin', claims: { [`${namespace}/has_admin_access`]: true } });
    authService.know('member', { sub: 'member', claims: {} });
    const { environment } = opened.use(await newServiceStore(kind));
    const settings = readSettings({
      ...environment,
      CAIRN_CLAIM_NAMESPACE: namespace,
      CAIRN_TOKEN_FAILURE_RATE: '1000/1m',
      ...settingsOf(authService),
    });
    store = opened.use(await openStore(settings, () => undefined));
    const log = pino({ level: 'silent' });
    const rateLimits = opened.use(await openSharedRateLimits(settings, log));
    ({ app } = opened.use(await openControlPlane({ store, rateLimits }, settings, log)));
    checkAnswers(app);
  });
  afterAll(() => opened.disposeAsync());
  const connection = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };
  return {
    get store() {
      return store;
    },
    get authService() {
      return authService;
    },
    async get(path, token = 'admin', headers = {}) {
      const sent = { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers };
      return await answerOf(await app.request(`http://127.0.0.1${path}`, { headers: sent }, connection));
    },
  };
}
