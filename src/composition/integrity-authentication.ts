import type { MiddlewareHandler } from 'hono';
import { developmentPrincipal } from '../domain/access/access.ts';
import type { ProjectPages } from '../domain/access/project-search.ts';
import { admittedUser } from '../domain/control-plane/logins.ts';
import type { Users } from '../domain/control-plane/users.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { disabledAuthentication } from '../platform/http/authentication.ts';
import type { Log } from '../platform/log.ts';
import type { AddressSemaphores } from '../platform/rate-limits/address-semaphores.ts';
import type { RateLimits } from '../platform/rate-limits/rate-limits.ts';
import { isUnauthenticated, requiredValue, type Settings } from '../platform/settings/setting-table.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import { AuthService } from '../platform/tokens/auth-service.ts';
import { CallerMemory } from '../platform/tokens/caller-memory.ts';
import { OidcIssuer } from '../platform/tokens/oidc-issuer.ts';
import { type BearerAuthority, tokenAuthentication } from '../platform/tokens/token-authentication.ts';
import { personOf, type VerifiedToken } from '../platform/tokens/token-verifier.ts';
import type { CallersAuthService } from './auth-service-issuer.ts';
import { observedVerifier } from './telemetry/traced-port.ts';

interface AuthenticationPorts {
  readonly rateLimits: RateLimits;
  /** Limits how many tokens of one address are verified at once. */
  readonly turns: AddressSemaphores;
  /** Whether a path is a page without data. Other sites may link to it. */
  readonly isPage: (path: string) => boolean;
  readonly projects: ProjectPages;
  readonly users: Users;
  readonly telemetry: Telemetry;
  /** Null in other modes. */
  readonly authService: CallersAuthService | null;
}

export function authenticationOf(
  settings: Settings,
  log: Log,
  { rateLimits, turns, isPage, projects, users, telemetry, authService }: AuthenticationPorts,
): MiddlewareHandler<AppEnv> {
  if (isUnauthenticated('integrity', settings)) {
    return disabledAuthentication({
      caller: developmentPrincipal,
      anyHost: settings.allowUnauthenticated,
      isPage,
    });
  }
  const { claimNamespace, trustedProxies } = settings;
  const onError = (err: Error) => log.warn({ err }, err.message);
  const now = () => new Date();
  const admission = { users, newId: () => crypto.randomUUID(), now };
  const admit = async ({ issuer, subject, claims }: VerifiedToken) =>
    await admittedUser(admission, { issuer, subject, ...personOf(claims) });
  const shared = { claimNamespace, trustedProxies, rateLimits, turns, admit };
  if (settings.authMode === 'oidc') {
    const issuer = new OidcIssuer({ issuer: requiredValue(settings.oidcIssuerUrl), now, onError });
    // Logs at start if the issuer cannot be reached, without waiting for it.
    void issuer.metadata().catch(() => undefined);
    const audience = requiredValue(settings.oidcAudience);
    const verifier = observedVerifier(issuer.verifier({ audience, use: 'access-token' }), telemetry);
    return tokenAuthentication({ ...shared, verifier, authority: null });
  }
  const service = new AuthService({ ...requiredValue(authService), now, onError });
  const verifier = observedVerifier(service, telemetry);
  const authority: BearerAuthority = {
    authorize: (...request) => service.authorize(...request),
    memory: new CallerMemory(projects, now),
  };
  return tokenAuthentication({ ...shared, verifier, authority });
}
