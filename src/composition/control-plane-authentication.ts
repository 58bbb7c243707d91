import type { SessionLimits } from '../domain/control-plane/sessions.ts';
import type { AuthDiscoveryRoutes } from '../http/control-plane/auth-discovery.ts';
import type { BearerMode } from '../http/control-plane/authentication.ts';
import type { CookieRules } from '../http/control-plane/session-cookies.ts';
import { type BrowserSignIn, providerId } from '../http/control-plane/sign-in.ts';
import type { Log } from '../platform/log.ts';
import { requiredValue } from '../platform/settings/setting.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import { IdentityProvider } from '../platform/sign-in/identity-provider.ts';
import { Seal } from '../platform/sign-in/seal.ts';
import { AuthService } from '../platform/tokens/auth-service.ts';
import { OidcIssuer } from '../platform/tokens/oidc-issuer.ts';
import { RefusedToken } from '../platform/tokens/refused-token.ts';
import type { TokenVerifier } from '../platform/tokens/token-verifier.ts';

export interface Modes {
  /** Null if sign-in by browser is disabled. */
  readonly browser: BrowserSignIn | null;
  readonly bearer: Pick<BearerMode, 'means' | 'verifier' | 'roleHint'>;
  readonly limits: SessionLimits;
  readonly cookies: CookieRules;
  readonly discovery: AuthDiscoveryRoutes;
  readonly uiBaseUrl: string;
  /** Origins of the pages that may change something with a session. */
  readonly origins: ReadonlySet<string>;
}

/** Chooses how the control plane authenticates callers. */
export function openModes(settings: Settings, log: Log, now: () => Date): Modes {
  const { authEnabled: isEnabled, authSessionMaxAge: maxAge, authSessionIdleTimeout: idleTimeout } = settings;
  const onError = (err: Error) => log.warn({ err }, err.message);
  const issuers = new Map<string, OidcIssuer>();
  // Browsers and tools may share an issuer.
  const issuerOf = (issuer: string) => {
    const known = issuers.get(issuer) ?? new OidcIssuer({ issuer, now, onError });
    issuers.set(issuer, known);
    return known;
  };
  const limits = { maxAge, idleTimeout };
  const cookies = { isSecure: settings.authCookieSecure, domain: settings.authCookieDomain, maxAge };
  const { authIdpRedirectUrl: callback } = settings;
  const uiBaseUrl = uiBaseUrlOf(settings);
  return {
    browser: isEnabled ? browserSignIn(settings, { limits, cookies, issuerOf, now, uiBaseUrl }) : null,
    bearer: bearerMode(settings, { issuerOf, now, onError }),
    limits,
    cookies,
    discovery: discoveryOf(settings),
    uiBaseUrl,
    origins: new Set([uiBaseUrl, ...(callback === null ? [] : [callback])].map((url) => new URL(url).origin)),
  };
}

interface Shared {
  readonly issuerOf: (issuer: string) => OidcIssuer;
  readonly now: () => Date;
}

function browserSignIn(
  settings: Settings,
  {
    limits,
    cookies,
    issuerOf,
    now,
    uiBaseUrl,
  }: Shared & Pick<BrowserSignIn, 'limits' | 'cookies' | 'uiBaseUrl'>,
): BrowserSignIn | null {
  if (!settings.authIdpEnabled) return null;
  const redirectUrl = requiredValue(settings.authIdpRedirectUrl);
  const secret = requiredValue(settings.authStateSecret);
  return {
    provider: new IdentityProvider({
      issuer: issuerOf(settings.authIdpIssuerUrl),
      clientId: requiredValue(settings.authIdpClientId),
      clientSecret: requiredValue(settings.authIdpClientSecret),
      redirectUrl,
      scopes: settings.authIdpScopes,
    }),
    rules: {
      allowedEmailDomains: settings.authAllowedEmailDomains ?? [],
      bootstrapAdminEmail: settings.authBootstrapAdminEmail,
    },
    limits,
    cookies,
    openSignIns: {
      seal: new Seal(secret, 'sign-in', now),
      isSecure: cookies.isSecure,
      path: new URL('..', redirectUrl).pathname,
    },
    idTokens: new Seal(secret, 'id-token', now),
    uiBaseUrl,
  };
}

const noBearers: TokenVerifier = {
  known: () => undefined,
  verify: () => Promise.reject(new RefusedToken('rejected')),
};

function bearerMode(
  settings: Settings,
  { issuerOf, now, onError }: Shared & { readonly onError: (error: Error) => void },
): Modes['bearer'] {
  const { claimNamespace } = settings;
  const member = () => 'member' as const;
  if (!settings.authEnabled || !settings.authBearerEnabled)
    return { means: 'oidc_bearer', verifier: noBearers, roleHint: member };
  if (settings.authBearerMode === 'oidc') {
    const expected = { audience: requiredValue(settings.authBearerClientId), use: 'id-token' } as const;
    const verifier = issuerOf(requiredValue(settings.authBearerIssuerUrl)).verifier(expected);
    return { means: 'oidc_bearer', verifier, roleHint: member };
  }
  const baseUrl = requiredValue(settings.authBearerAuthServiceBaseUrl ?? settings.adapterAuthServiceBaseUrl);
  return {
    means: 'auth_service_bearer',
    verifier: new AuthService({ baseUrl, now, onError }),
    roleHint: (claims) =>
      claimNamespace !== null && claims[`${claimNamespace}/has_admin_access`] === true ? 'admin' : 'member',
  };
}

function discoveryOf(settings: Settings): AuthDiscoveryRoutes {
  const { authEnabled: isEnabled, authBearerMode, authIdpRedirectUrl: callback } = settings;
  const bearerMode = isEnabled && settings.authBearerEnabled ? authBearerMode : null;
  return {
    isEnabled,
    browser:
      isEnabled && settings.authIdpEnabled
        ? { issuer: settings.authIdpIssuerUrl, loginUrl: loginUrlOf(requiredValue(callback)) }
        : null,
    bearerMode,
    device:
      bearerMode === 'oidc'
        ? {
            issuer: requiredValue(settings.authBearerIssuerUrl),
            clientId: requiredValue(settings.authBearerClientId),
            scopes: settings.authBearerScopes,
          }
        : null,
  };
}

/** On the host of the callback, because cookies belong to one host. */
function loginUrlOf(callback: string): string {
  const path = `/v1/auth/login?provider=${providerId}`;
  const end = `/v1/auth/callback/${providerId}`;
  return callback.endsWith(end) ? callback.slice(0, -end.length) + path : path;
}

/** By default the user interface is at /ui beside the API, as seen through a proxy. */
function uiBaseUrlOf({ authUiBaseUrl, authIdpRedirectUrl, host, port }: Settings): string {
  const own =
    authIdpRedirectUrl ??
    `http://${host.includes(':') ? '[::1]' : host}:${port}/v1/auth/callback/${providerId}`;
  return authUiBaseUrl ?? new URL('../../../ui', own).href;
}
