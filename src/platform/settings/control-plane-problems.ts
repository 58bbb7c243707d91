import { type ControlPlaneSettings, controlPlaneSettingTable } from './control-plane.ts';

/**
 * Problems of settings that are valid one by one: settings that an enabled mode lacks, and contradictions.
 * @param isAuthGiven whether -auth-enabled is set at all.
 */
export function controlPlaneProblems(
  settings: Partial<ControlPlaneSettings>,
  isAuthGiven: boolean,
): string[] {
  const { authSessionMaxAge: maxAge, authSessionIdleTimeout: idle } = settings;
  const problems =
    maxAge !== undefined && idle !== undefined && idle > maxAge
      ? [
          '-auth-session-idle-timeout is longer than -auth-session-max-age, so it would have no effect. Shorten the first or lengthen the second.',
        ]
      : [];
  if (!settings.authEnabled) return isAuthGiven ? problems : [...problems, ...unaskedProblems(settings)];
  if (settings.authIdpEnabled === false && settings.authBearerEnabled === false)
    problems.push(
      '-auth-enabled is true, but there is no way to sign in. Set -auth-idp-enabled=true for browsers, -auth-bearer-enabled=true for tools, or both.',
    );
  if (settings.authIdpEnabled) problems.push(...browserProblems(settings));
  if (settings.authBearerEnabled) problems.push(...bearerProblems(settings));
  return problems;
}

/** Enabling a sign-in method without -auth-enabled is an error, because nobody would be asked to sign in. */
function unaskedProblems({ authIdpEnabled, authBearerEnabled }: Partial<ControlPlaneSettings>): string[] {
  if (!authIdpEnabled && !authBearerEnabled) return [];
  const method = authIdpEnabled ? '-auth-idp-enabled' : '-auth-bearer-enabled';
  return [
    `${method} is true, but -auth-enabled is not set, so callers would not be authenticated. Set -auth-enabled=true (CONTROL_PLANE_AUTH_ENABLED), or -auth-enabled=false to serve without authentication.`,
  ];
}

type Name = keyof ControlPlaneSettings;

/** A null setting is not set. An undefined one is invalid, and its problem is already reported. */
function lacking(settings: Partial<ControlPlaneSettings>, why: string, names: readonly Name[]): string[] {
  return names
    .filter((name) => settings[name] === null)
    .map((name) => {
      const { flag, variable } = controlPlaneSettingTable[name];
      return `${why}, but -${flag} is not set (${variable}).`;
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
    problems.push('-auth-idp-scopes lacks "openid", which is needed to get an ID token. Add it.');
  if (redirectUrl && domain && !covers(domain, new URL(redirectUrl).hostname))
    problems.push(
      `-auth-cookie-domain="${domain}" is not the domain of -auth-idp-redirect-url="${redirectUrl}", so browsers would refuse the cookies. Change one of them.`,
    );
  return problems;
}

function bearerProblems(settings: Partial<ControlPlaneSettings>): string[] {
  if (settings.authBearerMode === 'auth_service') {
    if (settings.authBearerAuthServiceBaseUrl !== null || settings.adapterAuthServiceBaseUrl !== null)
      return [];
    return [
      '-auth-bearer-mode is auth_service, but the URL of the auth service is not set. Set -auth-bearer-auth-service-base-url (CONTROL_PLANE_AUTH_BEARER_AUTH_SERVICE_BASE_URL) or -adapter-auth-service-base-url (CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL).',
    ];
  }
  if (settings.authBearerMode === undefined) return [];
  const why = '-auth-bearer-enabled is true and -auth-bearer-mode is oidc';
  const problems = lacking(settings, why, ['authBearerIssuerUrl', 'authBearerClientId']);
  if (settings.authBearerScopes?.length === 0)
    problems.push(`${why}, but -auth-bearer-scopes names no scope (CONTROL_PLANE_AUTH_BEARER_SCOPES).`);
  return problems;
}

/** Whether browsers send the cookies of a domain to a host (RFC 6265, section 5.1.3). */
function covers(domain: string, host: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
