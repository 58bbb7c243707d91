import { providerId } from '../contract/control-plane/authentication.ts';
import type { SessionLimits } from '../domain/control-plane/sessions.ts';
import {
  requiredValue,
  type Settings,
  sharesTokens,
  signsInByBrowser,
} from '../platform/settings/setting-table.ts';
import { IdentityProvider } from '../platform/sign-in/identity-provider.ts';
import { Seal } from '../platform/sign-in/seal.ts';
import type { SessionMode } from '../platform/sign-in/session-authentication.ts';
import type { OidcIssuer } from '../platform/tokens/oidc-issuer.ts';

/** @param besideIntegrity whether the integrity service takes the sessions, too. */
export function identityProvider(
  settings: Settings,
  issuer: OidcIssuer,
  besideIntegrity: boolean,
): IdentityProvider {
  const readsAccessTokens = besideIntegrity && sharesTokens(settings) && settings.authMode === 'oidc';
  return new IdentityProvider({
    issuer,
    clientId: requiredValue(settings.authIdpClientId),
    clientSecret: requiredValue(settings.authIdpClientSecret),
    redirectUrl: requiredValue(settings.authIdpRedirectUrl),
    scopes: settings.authIdpScopes,
    audience: readsAccessTokens ? settings.oidcAudience : null,
  });
}

/** Null if nobody signs in by browser. */
export function sessionMode(settings: Settings): SessionMode | null {
  if (!signsInByBrowser(settings)) return null;
  return {
    issuer: settings.authIdpIssuerUrl,
    secretId: tokenSeal(settings, () => new Date()).secretId,
    limits: sessionLimits(settings),
    origins: new Set(pageOrigins(settings)),
  };
}

export function tokenSeal({ authStateSecret }: Settings, now: () => Date): Seal {
  return new Seal(requiredValue(authStateSecret), 'session-tokens', now);
}

export function sessionLimits(settings: Settings): SessionLimits {
  return { maxAge: settings.authSessionMaxAge, idleTimeout: settings.authSessionIdleTimeout };
}

/** The origins of the user interface and of this service. */
export function pageOrigins(settings: Settings): readonly string[] {
  const ui = uiBaseUrlOf(settings);
  return [ui, settings.authIdpRedirectUrl ?? ui].map((url) => new URL(url).origin);
}

/** By default the user interface is at /ui beside the API, as seen through a proxy. */
export function uiBaseUrlOf({ authUiBaseUrl, authIdpRedirectUrl, host, port }: Settings): string {
  const own =
    authIdpRedirectUrl ??
    `http://${host.includes(':') ? '[::1]' : host}:${port}/v1/auth/callback/${providerId}`;
  return authUiBaseUrl ?? new URL('../../../ui', own).href;
}
