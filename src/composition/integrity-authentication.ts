import type { MiddlewareHandler } from 'hono';
import { developmentPrincipal } from '../domain/access/access.ts';
import type { ProjectPages } from '../domain/access/project-search.ts';
import { admittedUser } from '../domain/control-plane/admission.ts';
import type { Users } from '../domain/control-plane/users.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { disabledAuthentication } from '../platform/http/authentication.ts';
import type { Log } from '../platform/log.ts';
import type { AddressSemaphores } from '../platform/rate-limits/address-semaphores.ts';
import type { RateLimits } from '../platform/rate-limits/rate-limits.ts';
import { isUnauthenticated } from '../platform/settings/exposed-services.ts';
import { requiredValue } from '../platform/settings/setting.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import { personOf } from '../platform/sign-in/person.ts';
import { AuthService } from '../platform/tokens/auth-service.ts';
import { CallerMemory } from '../platform/tokens/caller-memory.ts';
import { OidcIssuer } from '../platform/tokens/oidc-issuer.ts';
import {
  type BearerAuthority,
  type TokenAuthentication,
  tokenAuthentication,
} from '../platform/tokens/token-authentication.ts';
import type { VerifiedToken } from '../platform/tokens/token-verifier.ts';

interface AuthenticationPorts {
  readonly rateLimits: RateLimits;
  /** Limits how many tokens of one address are verified at once. */
  readonly turns: AddressSemaphores;
  /** Whether a path is a page without data. Other sites may link to it. */
  readonly isPage: (path: string) => boolean;
  readonly projects: ProjectPages;
  readonly users: Users;
}

/** Chooses how the integrity service authenticates callers. */
export function authenticationOf(
  settings: Settings,
  log: Log,
  { rateLimits, turns, isPage, projects, users }: AuthenticationPorts,
): MiddlewareHandler<AppEnv> {
  const { authMode, claimNamespace, trustedProxies } = settings;
  if (isUnauthenticated('integrity', settings)) {
    return disabledAuthentication({
      caller: developmentPrincipal,
      anyHost: settings.allowUnauthenticated,
      isPage,
    });
  }
  const deciders = authMode === 'oidc' ? byIssuer(settings, log) : byAuthService(settings, log, projects);
  const admission = { users, newId: () => crypto.randomUUID(), now };
  const admit = async ({ issuer, subject, claims }: VerifiedToken) =>
    await admittedUser(admission, { issuer, subject, ...personOf(claims) });
  return tokenAuthentication({ ...deciders, admit, claimNamespace, rateLimits, turns, trustedProxies });
}

type Deciders = Pick<TokenAuthentication, 'verifier' | 'authority'>;

const now = () => new Date();

function byIssuer({ oidcIssuerUrl, oidcAudience }: Settings, log: Log): Deciders {
  const onError = (err: Error) => log.warn({ err }, err.message);
  const issuer = new OidcIssuer({ issuer: requiredValue(oidcIssuerUrl), now, onError });
  // Logs at start if the issuer cannot be reached, without waiting for it.
  void issuer.metadata().catch(() => undefined);
  return {
    verifier: issuer.verifier({ audience: requiredValue(oidcAudience), use: 'access-token' }),
    authority: null,
  };
}

function byAuthService(
  { authServiceBaseUrl, authServiceIssuer }: Settings,
  log: Log,
  projects: ProjectPages,
): Deciders {
  const onError = (err: Error) => log.warn({ err }, err.message);
  const baseUrl = requiredValue(authServiceBaseUrl);
  const verifier = new AuthService({ baseUrl, issuer: authServiceIssuer ?? baseUrl, now, onError });
  const authorize: BearerAuthority['authorize'] = (...request) => verifier.authorize(...request);
  return { verifier, authority: { authorize, memory: new CallerMemory(projects, now) } };
}
