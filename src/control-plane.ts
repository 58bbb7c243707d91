import packageJson from '../package.json' with { type: 'json' };
import { developmentCaller } from './domain/control-plane/access.ts';
import type { KnownCaller } from './domain/control-plane/known-caller.ts';
import { recordingOf } from './domain/control-plane/recordings.ts';
import { apiDescription } from './http/api-description.ts';
import { auditLogRoutes } from './http/control-plane/audit-log.ts';
import { authDiscoveryRoutes } from './http/control-plane/auth-discovery.ts';
import { type BearerMode, controlPlaneAuthentication } from './http/control-plane/authentication.ts';
import { controlPlaneHealthRoutes } from './http/control-plane/health.ts';
import { meRoutes } from './http/control-plane/me.ts';
import { type ControlPlaneApp, controlPlaneProofs } from './http/control-plane/operation.ts';
import { accessPages } from './http/control-plane/pages.ts';
import { isAccessPage, isEntry } from './http/control-plane/paths.ts';
import { type BrowserSignIn, signInRoutes } from './http/control-plane/sign-in.ts';
import { userRoutes } from './http/control-plane/users.ts';
import { createApp } from './platform/app.ts';
import { AuditTrail } from './platform/audit-trail.ts';
import { AuthService } from './platform/auth-service.ts';
import { disabledAuthentication } from './platform/authentication.ts';
import type { Log } from './platform/log.ts';
import { OidcIssuer } from './platform/oidc-issuer.ts';
import { rateLimitOptions } from './platform/open-authentication.ts';
import { openRateLimits } from './platform/rate-limits/open.ts';
import type { Settings } from './platform/settings.ts';
import { IdentityProvider } from './platform/sign-in/identity-provider.ts';
import { noBearers } from './platform/sign-in/no-bearers.ts';
import { Seal } from './platform/sign-in/seal.ts';
import type { Store } from './storage/open.ts';

export interface ControlPlane extends AsyncDisposable {
  readonly app: ControlPlaneApp;
  /** Whether people sign in by browser. */
  readonly hasSignIn: boolean;
}

export interface ControlPlaneOptions {
  readonly now: () => Date;
}

const info = {
  title: 'Cairn control plane',
  version: packageJson.version,
  description: 'Who is calling, and which agents produce the evidence.',
};

/** Puts the control plane together, on a store that it leaves open. */
export async function openControlPlane(
  settings: Settings,
  log: Log,
  store: Pick<Store, 'users' | 'sessions' | 'auditLog'>,
  { now }: ControlPlaneOptions = { now: () => new Date() },
): Promise<ControlPlane> {
  await using opened = new AsyncDisposableStack();
  const { trustedProxies } = settings;
  const rateLimits = opened.use(await openRateLimits(rateLimitOptions(settings, log)));
  const limits = { maxAge: settings.authSessionMaxAge, idleTimeout: settings.authSessionIdleTimeout };
  const cookies = {
    isSecure: settings.authCookieSecure,
    domain: settings.authCookieDomain,
    maxAge: limits.maxAge,
  };
  const issuers = issuersOf(log, now);
  const browser = browserSignIn(settings, { limits, cookies, issuers, now });
  const bearer = bearerMode(settings, log, { issuers, now });
  const { users, sessions, auditLog } = store;
  const newId = () => crypto.randomUUID();
  const auditTrail = opened.use(
    new AuditTrail<KnownCaller>({
      auditLog,
      recordingOf,
      actorOf: ({ issuer, subject, means }) => ({ issuer, subject, means }),
      trustedProxies,
      now,
      newId,
      log,
    }),
  );
  const app = createApp({
    log,
    auditTrail,
    showCallStack: settings.debugErrors,
    authentication: settings.authEnabled
      ? controlPlaneAuthentication({
          bearer: { ...bearer, rateLimits, trustedProxies },
          session: browser && { limits, origins: originsOf(settings) },
          users,
          sessions,
          now,
        })
      : disabledAuthentication<KnownCaller>({
          caller: { ...developmentCaller, user: null, session: null },
          anyHost: settings.allowUnauthenticated,
          isPage: (path) => isEntry(path) || isAccessPage(path),
        }),
  });
  controlPlaneHealthRoutes(app);
  authDiscoveryRoutes(app, discovery(settings));
  signInRoutes(app, {
    browser,
    users,
    sessions,
    rateLimits,
    trustedProxies,
    now,
    newId,
    newSecret: () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url'),
  });
  meRoutes(app, { sessions, limits, cookies, now });
  userRoutes(app, { users, sessions, now, limits: settings });
  auditLogRoutes(app, { auditLog });
  accessPages(app, { uiBaseUrl: uiBaseUrlOf(settings) });
  apiDescription(app, info, controlPlaneProofs);
  const stack = opened.move();
  return { app, hasSignIn: browser !== null, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** One for each issuer: browsers and tools may come from the same one. */
function issuersOf(log: Log, now: () => Date): (issuer: string) => OidcIssuer {
  const issuers = new Map<string, OidcIssuer>();
  const onFault = (err: Error) => log.warn({ err }, 'An issuer of tokens does not answer as it should.');
  return (issuer) => {
    const known = issuers.get(issuer) ?? new OidcIssuer({ issuer, now, onFault });
    issuers.set(issuer, known);
    return known;
  };
}

interface Shared {
  readonly issuers: (issuer: string) => OidcIssuer;
  readonly now: () => Date;
}

function browserSignIn(
  settings: Settings,
  { limits, cookies, issuers, now }: Shared & Pick<BrowserSignIn, 'limits' | 'cookies'>,
): BrowserSignIn | null {
  const { authStateSecret, authIdpClientId, authIdpClientSecret, authIdpRedirectUrl } = settings;
  if (!settings.authEnabled || !settings.authIdpEnabled) return null;
  // The settings were refused if one of these were missing.
  if (!authStateSecret || !authIdpClientId || !authIdpClientSecret || !authIdpRedirectUrl) return null;
  return {
    provider: new IdentityProvider({
      issuer: issuers(settings.authIdpIssuerUrl),
      clientId: authIdpClientId,
      clientSecret: authIdpClientSecret,
      redirectUrl: authIdpRedirectUrl,
      scopes: settings.authIdpScopes,
    }),
    rules: {
      allowedEmailDomains: settings.authAllowedEmailDomains ?? [],
      bootstrapAdminEmail: settings.authBootstrapAdminEmail,
    },
    limits,
    cookies,
    openSignIns: {
      seal: new Seal(authStateSecret, 'sign-in', now),
      isSecure: cookies.isSecure,
      path: new URL('..', authIdpRedirectUrl).pathname,
    },
    idTokens: new Seal(authStateSecret, 'id-token', now),
    uiBaseUrl: uiBaseUrlOf(settings),
  };
}

function bearerMode(
  settings: Settings,
  log: Log,
  { issuers, now }: Shared,
): Pick<BearerMode, 'means' | 'verifier' | 'roleHint'> {
  const { authBearerEnabled, authBearerMode, authBearerIssuerUrl, authBearerClientId } = settings;
  const baseUrl = settings.authBearerAuthServiceBaseUrl ?? settings.adapterAuthServiceBaseUrl;
  if (authBearerEnabled && authBearerMode === 'auth_service' && baseUrl !== null) {
    const onFault = (err: Error) => log.warn({ err }, 'The auth service does not answer as it should.');
    const claim = `${settings.claimNamespace}/has_admin_access`;
    const isNamed = settings.claimNamespace !== null;
    return {
      means: 'auth_service_bearer',
      verifier: new AuthService({ baseUrl, now, onFault }),
      roleHint: (claims) => (isNamed && claims[claim] === true ? 'admin' : 'member'),
    };
  }
  const roleHint = () => 'member' as const;
  if (!authBearerEnabled || authBearerIssuerUrl === null || authBearerClientId === null)
    return { means: 'oidc_bearer', verifier: noBearers, roleHint };
  const expected = { audience: authBearerClientId, use: 'id-token' } as const;
  return { means: 'oidc_bearer', verifier: issuers(authBearerIssuerUrl).verifier(expected), roleHint };
}

function discovery(settings: Settings): Parameters<typeof authDiscoveryRoutes>[1] {
  const { authEnabled, authBearerMode, authBearerIssuerUrl, authBearerClientId, authBearerScopes } = settings;
  const bearerMode = authEnabled && settings.authBearerEnabled ? authBearerMode : null;
  return {
    isEnabled: authEnabled,
    browserIssuer: authEnabled && settings.authIdpEnabled ? settings.authIdpIssuerUrl : null,
    bearerMode,
    device:
      bearerMode === 'oidc' && authBearerIssuerUrl !== null && authBearerClientId !== null
        ? { issuer: authBearerIssuerUrl, clientId: authBearerClientId, scopes: authBearerScopes }
        : null,
  };
}

/** The user interface of this service lies beside its API, wherever a proxy shows that. */
function uiBaseUrlOf({ authUiBaseUrl, authIdpRedirectUrl, host, port }: Settings): string {
  const own =
    authIdpRedirectUrl ?? `http://${host.includes(':') ? '[::1]' : host}:${port}/v1/auth/callback/idp`;
  return authUiBaseUrl ?? new URL('../../../ui', own).href;
}

function originsOf(settings: Settings): ReadonlySet<string> {
  const { authIdpRedirectUrl } = settings;
  const urls = [uiBaseUrlOf(settings), ...(authIdpRedirectUrl === null ? [] : [authIdpRedirectUrl])];
  return new Set(urls.map((url) => new URL(url).origin));
}
