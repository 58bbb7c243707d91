import type { MiddlewareHandler } from 'hono';
import { developmentPrincipal } from '../domain/access/access.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { disabledAuthentication } from '../platform/http/authentication.ts';
import type { Log } from '../platform/log.ts';
import type { AddressSemaphores } from '../platform/rate-limits/address-semaphores.ts';
import type { RateLimits } from '../platform/rate-limits/rate-limits.ts';
import { isUnauthenticated } from '../platform/settings/exposed-services.ts';
import { requiredValue } from '../platform/settings/setting.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import { AuthService } from '../platform/tokens/auth-service.ts';
import { OidcIssuer } from '../platform/tokens/oidc-issuer.ts';
import { type TokenAuthentication, tokenAuthentication } from '../platform/tokens/token-authentication.ts';

interface Surroundings {
  readonly rateLimits: RateLimits;
  /** Tokens that are looked at for one address at once. */
  readonly turns: AddressSemaphores;
  /** Whether a path is that of a page without data, to which other sites may link. */
  readonly isPage: (path: string) => boolean;
  /** Ids of the projects of this service. */
  readonly projects: () => Promise<readonly string[]>;
}

/** The one place where it is chosen how callers of the integrity service are known. */
export function authenticationOf(
  settings: Settings,
  log: Log,
  { rateLimits, turns, isPage, projects }: Surroundings,
): MiddlewareHandler<AppEnv> {
  const { authMode, claimNamespace, trustedProxies } = settings;
  if (isUnauthenticated('integrity', settings)) {
    return disabledAuthentication({
      caller: developmentPrincipal,
      anyHost: settings.allowUnauthenticated,
      isPage,
    });
  }
  const deciding = authMode === 'oidc' ? byIssuer(settings, log) : byAuthService(settings, log, projects);
  return tokenAuthentication({ ...deciding, claimNamespace, rateLimits, turns, trustedProxies });
}

type Deciding = Pick<TokenAuthentication, 'verifier' | 'authority'>;

const now = () => new Date();

function byIssuer({ oidcIssuerUrl, oidcAudience }: Settings, log: Log): Deciding {
  const onError = (err: Error) => log.warn({ err }, err.message);
  const issuer = new OidcIssuer({ issuer: requiredValue(oidcIssuerUrl), now, onError });
  // So that the log tells at once when it cannot be reached; nobody waits for it.
  void issuer.metadata().catch(() => undefined);
  return {
    verifier: issuer.verifier({ audience: requiredValue(oidcAudience), use: 'access-token' }),
    authority: null,
  };
}

function byAuthService(
  { authServiceBaseUrl }: Settings,
  log: Log,
  projects: Surroundings['projects'],
): Deciding {
  const onError = (err: Error) => log.warn({ err }, err.message);
  const verifier = new AuthService({ baseUrl: requiredValue(authServiceBaseUrl), now, onError });
  return { verifier, authority: { authorize: (...asked) => verifier.authorize(...asked), projects } };
}
