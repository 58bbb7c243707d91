import type { MiddlewareHandler } from 'hono';
import { developmentPrincipal } from '../domain/access.ts';
import type { AppEnv } from './app.ts';
import { AuthService } from './auth-service.ts';
import { disabledAuthentication } from './authentication.ts';
import type { Log } from './log.ts';
import { OidcIssuer } from './oidc-issuer.ts';
import { openRateLimits } from './rate-limits/open.ts';
import type { Settings } from './settings.ts';
import { type TokenAuthentication, tokenAuthentication } from './token-authentication.ts';

export interface Authentication extends AsyncDisposable {
  readonly middleware: MiddlewareHandler<AppEnv>;
}

interface Surroundings {
  /** Whether a path is that of a page without data, to which other sites may link. */
  readonly isPage: (path: string) => boolean;
  /** Ids of the projects of this service. */
  readonly projects: () => Promise<readonly string[]>;
}

/** The one place where it is chosen how callers of the integrity service are known. */
export async function openAuthentication(
  settings: Settings,
  log: Log,
  { isPage, projects }: Surroundings,
): Promise<Authentication> {
  const { authMode, claimNamespace, trustedProxies } = settings;
  if (authMode === null || authMode === 'disabled') {
    const middleware = disabledAuthentication({
      caller: developmentPrincipal,
      anyHost: settings.allowUnauthenticated,
      isPage,
    });
    return { middleware, [Symbol.asyncDispose]: async () => undefined };
  }
  const deciding = authMode === 'oidc' ? byIssuer(settings, log) : byAuthService(settings, log, projects);
  const rateLimits = await openRateLimits(rateLimitOptions(settings, log));
  return {
    middleware: tokenAuthentication({ ...deciding, claimNamespace, rateLimits, trustedProxies }),
    [Symbol.asyncDispose]: async () => await rateLimits[Symbol.asyncDispose](),
  };
}

type Deciding = Pick<TokenAuthentication, 'verifier' | 'authority'>;

const now = () => new Date();

function byIssuer({ oidcIssuerUrl, oidcAudience }: Settings, log: Log): Deciding {
  const onFault = (err: Error) => log.warn({ err }, err.message);
  const issuer = new OidcIssuer({ issuer: given(oidcIssuerUrl), now, onFault });
  // So that the log tells at once when it cannot be reached; nobody waits for it.
  void issuer.metadata().catch(() => undefined);
  return {
    verifier: issuer.verifier({ audience: given(oidcAudience), use: 'access-token' }),
    authority: null,
  };
}

function byAuthService(
  { authServiceBaseUrl }: Settings,
  log: Log,
  projects: Surroundings['projects'],
): Deciding {
  const onFault = (err: Error) => log.warn({ err }, err.message);
  const verifier = new AuthService({ baseUrl: given(authServiceBaseUrl), now, onFault });
  return { verifier, authority: { authorize: (...asked) => verifier.authorize(...asked), projects } };
}

/** Settings that a mode needs were demanded when they were read. */
function given(setting: string | null): string {
  if (setting === null) throw new Error('A setting of CAIRN_AUTH_MODE is missing.');
  return setting;
}

/** What all services of this process count attempts with. */
export function rateLimitOptions(settings: Settings, log: Log) {
  const { loginRate, callbackRate, tokenFailureRate, redisUrl, redisPrefix } = settings;
  return {
    rates: { login: loginRate, callback: callbackRate, token_failure: tokenFailureRate },
    redis: redisUrl === null ? null : { url: redisUrl, prefix: redisPrefix },
    onFault: (err: Error) => log.warn({ err }, 'Attempts are not counted with other processes now.'),
  };
}
