import { providerId } from '../contract/control-plane/authentication.ts';
import type { SessionLimits } from '../domain/control-plane/sessions.ts';
import type { AuthDiscoveryRoutes } from '../http/control-plane/auth-discovery.ts';
import type { BearerMode } from '../http/control-plane/authentication.ts';
import type { BrowserSignIn } from '../http/control-plane/sign-in.ts';
import type { Log } from '../platform/log.ts';
import { requiredValue, type Settings, signsInByBrowser } from '../platform/settings/setting-table.ts';
import { Seal } from '../platform/sign-in/seal.ts';
import type { SessionMode } from '../platform/sign-in/session-authentication.ts';
import { tokenSealing } from '../platform/sign-in/session-bearer.ts';
import type { CookieRules } from '../platform/sign-in/session-cookies.ts';
import { AuthService, type AuthServiceOptions } from '../platform/tokens/auth-service.ts';
import { OidcIssuer } from '../platform/tokens/oidc-issuer.ts';
import { RefusedToken } from '../platform/tokens/refused-token.ts';
import type { TokenVerifier } from '../platform/tokens/token-verifier.ts';
import type { CallersAuthService } from './auth-service-issuer.ts';
import {
  identityProvider,
  pageOrigins,
  sessionLimits,
  sessionMode,
  tokenSeal,
  uiBaseUrlOf,
} from './browser-sessions.ts';

export interface Modes {
  /** Null if sign-in by browser is disabled. */
  readonly browser: BrowserSignIn | null;
  readonly bearer: Omit<BearerMode, 'rateLimits' | 'turns' | 'trustedProxies'>;
  /** Null if sign-in by browser is disabled. */
  readonly session: SessionMode | null;
  readonly limits: SessionLimits;
  readonly cookies: CookieRules;
  readonly discovery: AuthDiscoveryRoutes;
  readonly uiBaseUrl: string;
  /** The origin of the user interface if it is not that of this service; otherwise null. */
  readonly foreignUi: string | null;
}

type IssuerOf = (issuer: string) => OidcIssuer;

interface ModeOptions {
  /** Null if it does not say who the callers are. */
  readonly authService: CallersAuthService | null;
  /** Whether the integrity service is at the same address. */
  readonly besideIntegrity: boolean;
  readonly log: Log;
  readonly now: () => Date;
}

export function openModes(
  settings: Settings,
  { authService, besideIntegrity, log, now }: ModeOptions,
): Modes {
  const limits = sessionLimits(settings);
  const onError = (err: Error) => log.warn({ err }, err.message);
  const issuers = new Map<string, OidcIssuer>();
  // Browsers and tools may share an issuer.
  const issuerOf = (issuer: string) => {
    const known = issuers.get(issuer) ?? new OidcIssuer({ issuer, now, onError });
    issuers.set(issuer, known);
    return known;
  };
  const shared = {
    limits,
    cookies: {
      isSecure: settings.authCookieSecure,
      domain: settings.authCookieDomain,
      maxAge: limits.maxAge,
    },
    uiBaseUrl: uiBaseUrlOf(settings),
  };
  const [ui, own = ui] = pageOrigins(settings);
  return {
    ...shared,
    browser: signsInByBrowser(settings)
      ? { ...shared, ...browserSignIn(settings, issuerOf, { besideIntegrity, now }) }
      : null,
    session: sessionMode(settings),
    bearer: bearerMode(settings, issuerOf, authService, { now, onError }),
    discovery: discoveryOf(settings),
    foreignUi: signsInByBrowser(settings) && ui !== own ? (ui ?? null) : null,
  };
}

function browserSignIn(
  settings: Settings,
  issuerOf: IssuerOf,
  { besideIntegrity, now }: Pick<ModeOptions, 'besideIntegrity' | 'now'>,
) {
  const redirectUrl = requiredValue(settings.authIdpRedirectUrl);
  const secret = requiredValue(settings.authStateSecret);
  return {
    provider: identityProvider(settings, issuerOf(settings.authIdpIssuerUrl), besideIntegrity),
    rules: {
      allowedEmailDomains: settings.authAllowedEmailDomains ?? [],
      bootstrapAdminEmail: settings.authBootstrapAdminEmail,
    },
    openSignIns: {
      seal: new Seal(secret, 'sign-in', now),
      isSecure: settings.authCookieSecure,
      path: new URL('..', redirectUrl).pathname,
    },
    sealed: tokenSealing(tokenSeal(settings, now), now).seal,
    secretId: tokenSeal(settings, now).secretId,
  };
}

const noBearers: TokenVerifier = {
  known: () => undefined,
  verify: () => Promise.reject(new RefusedToken('rejected')),
};

function bearerMode(
  settings: Settings,
  issuerOf: IssuerOf,
  authService: CallersAuthService | null,
  options: Omit<AuthServiceOptions, 'baseUrl' | 'issuer'>,
): Modes['bearer'] {
  const oidc: Omit<Modes['bearer'], 'verifier'> = {
    means: 'oidc_bearer',
    allowedEmailDomains: settings.authAllowedEmailDomains ?? [],
    roleHint: () => 'member',
  };
  if (!settings.authEnabled || !settings.authBearerEnabled) return { ...oidc, verifier: noBearers };
  if (settings.authBearerMode === 'oidc') {
    const issuer = issuerOf(requiredValue(settings.authBearerIssuerUrl));
    const audience = requiredValue(settings.authBearerClientId);
    return { ...oidc, verifier: issuer.verifier({ audience, use: 'id-token' }) };
  }
  const { claimNamespace } = settings;
  return {
    means: 'auth_service_bearer',
    allowedEmailDomains: [],
    verifier: new AuthService({ ...options, ...requiredValue(authService) }),
    roleHint: (claims) =>
      claimNamespace !== null && claims[`${claimNamespace}/has_admin_access`] === true ? 'admin' : 'member',
  };
}

function discoveryOf(settings: Settings): AuthDiscoveryRoutes {
  const { authEnabled: isEnabled, authBearerMode } = settings;
  const bearerMode = isEnabled && settings.authBearerEnabled ? authBearerMode : null;
  const hasBrowser = isEnabled && settings.authIdpEnabled;
  return {
    isEnabled,
    browser: hasBrowser
      ? {
          issuer: settings.authIdpIssuerUrl,
          loginUrl: loginUrlOf(requiredValue(settings.authIdpRedirectUrl)),
        }
      : null,
    bearerMode,
    device:
      bearerMode === 'oidc'
        ? {
            issuer: requiredValue(settings.authBearerIssuerUrl),
            clientId: requiredValue(settings.authBearerClientId),
            scopes: settings.authBearerScopes,
            audience: settings.oidcIssuerUrl === settings.authBearerIssuerUrl ? settings.oidcAudience : null,
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
