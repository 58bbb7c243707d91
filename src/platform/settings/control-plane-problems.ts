import { type ControlPlaneSettings, controlPlaneSettingTable } from './control-plane.ts';

/**
 * Problems of settings that are right one by one: what the modes that are enabled lack, and what cannot be together.
 * @param isAuthGiven whether somebody has said that authentication is enabled, or disabled.
 */
export function controlPlaneProblems(
  settings: Partial<ControlPlaneSettings>,
  isAuthGiven: boolean,
): string[] {
  const { authSessionMaxAge: maxAge, authSessionIdleTimeout: idle } = settings;
  const problems =
    maxAge !== undefined && idle !== undefined && idle > maxAge
      ? [
          '-auth-session-idle-timeout is longer than -auth-session-max-age: sessions would never end by idling. Shorten the first or lengthen the second.',
        ]
      : [];
  if (!settings.authEnabled) return isAuthGiven ? problems : [...problems, ...unaskedProblems(settings)];
  if (settings.authIdpEnabled === false && settings.authBearerEnabled === false)
    problems.push(
      '-auth-enabled is true and there is no way to sign in: set -auth-idp-enabled=true for browsers, -auth-bearer-enabled=true for tools, or both.',
    );
  if (settings.authIdpEnabled) problems.push(...browserProblems(settings));
  if (settings.authBearerEnabled) problems.push(...bearerProblems(settings));
  return problems;
}

/** What would look like authentication and be none. */
function unaskedProblems({ authIdpEnabled, authBearerEnabled }: Partial<ControlPlaneSettings>): string[] {
  if (!authIdpEnabled && !authBearerEnabled) return [];
  const way = authIdpEnabled ? '-auth-idp-enabled' : '-auth-bearer-enabled';
  return [
    `${way} is true and -auth-enabled is not set, so that nobody would be asked who they are. Set -auth-enabled=true (CONTROL_PLANE_AUTH_ENABLED), or =false if that is meant.`,
  ];
}

type Name = keyof ControlPlaneSettings;

/** Null means that it is not set; undefined, that its problem was told already. */
function lacking(settings: Partial<ControlPlaneSettings>, why: string, names: readonly Name[]): string[] {
  return names
    .filter((name) => settings[name] === null)
    .map((name) => {
      const { flag, variable } = controlPlaneSettingTable[name];
      return `${why}, and -${flag} is not set (${variable}).`;
    });
}

function browserProblems(settings: Partial<ControlPlaneSettings>): string[] {
  const { authIdpScopes: asked, authIdpRedirectUrl: redirectUrl, authCookieDomain: domain } = settings;
  const problems = lacking(settings, '-auth-idp-enabled is true', [
    'authStateSecret',
    'authIdpClientId',
    'authIdpClientSecret',
    'authIdpRedirectUrl',
  ]);
  if (asked && !asked.includes('openid'))
    problems.push('-auth-idp-scopes has no "openid", without which there is no ID token. Add it.');
  if (redirectUrl && domain && !covers(domain, new URL(redirectUrl).hostname))
    problems.push(
      `-auth-cookie-domain="${domain}" is not the domain of -auth-idp-redirect-url="${redirectUrl}", so that browsers would refuse the cookies.`,
    );
  return problems;
}

function bearerProblems(settings: Partial<ControlPlaneSettings>): string[] {
  if (settings.authBearerMode === 'auth_service') {
    const isKnown = (url: string | null | undefined) => url !== null;
    if (isKnown(settings.authBearerAuthServiceBaseUrl) || isKnown(settings.adapterAuthServiceBaseUrl))
      return [];
    return [
      '-auth-bearer-mode is auth_service, and neither -auth-bearer-auth-service-base-url (CONTROL_PLANE_AUTH_BEARER_AUTH_SERVICE_BASE_URL) nor -adapter-auth-service-base-url (CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL) says where it is.',
    ];
  }
  if (settings.authBearerMode === undefined) return [];
  const why = '-auth-bearer-enabled is true in the mode oidc';
  const problems = lacking(settings, why, ['authBearerIssuerUrl', 'authBearerClientId']);
  if (settings.authBearerScopes?.length === 0)
    problems.push(`${why}, and -auth-bearer-scopes names no scope (CONTROL_PLANE_AUTH_BEARER_SCOPES).`);
  return problems;
}

/** Whether a host is sent the cookies of a domain (RFC 6265, section 5.1.3). */
function covers(domain: string, host: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
