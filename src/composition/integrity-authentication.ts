import { setTimeout } from 'node:timers/promises';
import type { Context, MiddlewareHandler } from 'hono';
import { developmentPrincipal, type Principal } from '../domain/access/access.ts';
import type { ProjectPages } from '../domain/access/project-search.ts';
import { auditRecords } from '../domain/audit-log/audit-log.ts';
import type { RecordStore } from '../domain/collections/collection.ts';
import { admittedUser } from '../domain/control-plane/logins.ts';
import type { ProviderTokens } from '../domain/control-plane/session-tokens.ts';
import type { Sessions } from '../domain/control-plane/sessions.ts';
import type { Users } from '../domain/control-plane/users.ts';
import { AuditTrail } from '../platform/audit-trail/audit-trail.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { disabledAuthentication } from '../platform/http/authentication.ts';
import type { Log } from '../platform/log.ts';
import type { AddressSemaphores } from '../platform/rate-limits/address-semaphores.ts';
import type { RateLimits } from '../platform/rate-limits/rate-limits.ts';
import { isUnauthenticated, requiredValue, type Settings } from '../platform/settings/setting-table.ts';
import { type SessionMode, signedIn } from '../platform/sign-in/session-authentication.ts';
import { sessionBearer, tokenSealing } from '../platform/sign-in/session-bearer.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import { AuthService } from '../platform/tokens/auth-service.ts';
import { CallerMemory } from '../platform/tokens/caller-memory.ts';
import { OidcIssuer } from '../platform/tokens/oidc-issuer.ts';
import { type BearerAuthority, tokenAuthentication } from '../platform/tokens/token-authentication.ts';
import { personOf, type TokenVerifier, type VerifiedToken } from '../platform/tokens/token-verifier.ts';
import type { CallersAuthService } from './auth-service-issuer.ts';
import { identityProvider, tokenSeal } from './browser-sessions.ts';
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
  readonly sessions: Sessions;
  /** Null if the service takes no sessions. */
  readonly sessionMode: SessionMode | null;
}

export function authenticationOf(
  settings: Settings,
  log: Log,
  ports: AuthenticationPorts,
): MiddlewareHandler<AppEnv> {
  const { rateLimits, turns, isPage, projects, users, telemetry, authService, sessionMode } = ports;
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
  const bySession = (verifier: TokenVerifier, use: 'idToken' | 'accessToken', issuer: () => OidcIssuer) => {
    if (sessionMode === null) return null;
    const provider = identityProvider(settings, issuer(), true);
    const refreshing = {
      ...ports,
      ...tokenSealing(tokenSeal(settings, now), now),
      now,
      verifier,
      use,
      refresh: (tokens: ProviderTokens) => provider.refresh(tokens),
      pause: (ms: number) => setTimeout(ms),
    };
    return async (context: Context<AppEnv>) => {
      const { session } = await signedIn(context, sessionMode, { ...ports, now });
      return await sessionBearer(session, refreshing);
    };
  };
  if (settings.authMode === 'oidc') {
    const issuer = new OidcIssuer({ issuer: requiredValue(settings.oidcIssuerUrl), now, onError });
    // Logs at start if the issuer cannot be reached, without waiting for it.
    void issuer.metadata().catch(() => undefined);
    const audience = requiredValue(settings.oidcAudience);
    const verifier = observedVerifier(issuer.verifier({ audience, use: 'access-token' }), telemetry);
    const authenticated = { verifier, bySession: bySession(verifier, 'accessToken', () => issuer) };
    return tokenAuthentication({ ...shared, ...authenticated, authority: null });
  }
  const service = new AuthService({ ...requiredValue(authService), now, onError });
  const verifier = observedVerifier(service, telemetry);
  const authority: BearerAuthority = {
    authorize: (...request) => service.authorize(...request),
    memory: new CallerMemory(projects, now),
  };
  const provider = () => new OidcIssuer({ issuer: settings.authIdpIssuerUrl, now, onError });
  const authenticated = { verifier, bySession: bySession(verifier, 'idToken', provider) };
  return tokenAuthentication({ ...shared, ...authenticated, authority });
}

/** The audit trail of the integrity service. */
export function openAuditTrail(store: RecordStore, settings: Settings, log: Log): AuditTrail<Principal> {
  const knowsCallers = !isUnauthenticated('integrity', settings);
  const usualMeans = knowsCallers ? `${settings.authMode}_bearer` : 'disabled';
  return new AuditTrail<Principal>({
    auditLog: store.of(auditRecords),
    knowsCallers,
    actorOf: ({ issuer, subject, means = usualMeans }) => ({ issuer, subject, means }),
    trustedProxies: settings.trustedProxies,
    now: () => new Date(),
    log,
  });
}
