import { isSafeUrl } from '../http/loopback.ts';
import { acceptsBearers, idleSettings } from './modes.ts';
import { type ServedService, type SettingName, type Settings, settingTable } from './setting-table.ts';

/** Sentences about valid settings that an operator should know at the start. */
export function startNotices(settings: Settings, services: readonly ServedService[]): string[] {
  return [
    ...idleSettings(settings, services),
    ...insecureAuthServices(settings).map(
      (place) =>
        `${place} is plain HTTP. Everybody on the network in between can read and change tokens and permissions.`,
    ),
    ...namespaceNotices(settings, services),
    ...administratorNotices(settings, services),
    ...twoIssuerNotices(settings, services),
  ];
}

const authServiceUrls = [
  'authServiceBaseUrl',
  'authBearerAuthServiceBaseUrl',
  'adapterAuthServiceBaseUrl',
] as const satisfies readonly SettingName[];

/** A problem for each auth service that is neither https nor on this machine, unless that is allowed. */
export function authServiceProblems(settings: Partial<Settings>): string[] {
  if (settings.allowHttpAuthService !== false) return [];
  return insecureAuthServices(settings).map(
    (place) =>
      `${place} must be an https URL (http only for this machine). Inside a trusted network, set CAIRN_ALLOW_HTTP_AUTH_SERVICE=true.`,
  );
}

function insecureAuthServices(settings: Partial<Settings>): string[] {
  return authServiceUrls.flatMap((name) => {
    const url = settings[name];
    return url && !isSafeUrl(new URL(url)) ? [`${settingTable[name].variable}="${url}"`] : [];
  });
}

function namespaceNotices(settings: Settings, services: readonly ServedService[]): string[] {
  const asksAuthService =
    (services.includes('integrity') && settings.authMode === 'auth_service') ||
    (services.includes('control-plane') && acceptsBearers(settings, 'auth_service'));
  if (!asksAuthService || settings.claimNamespace !== null) return [];
  return [
    'CAIRN_CLAIM_NAMESPACE is not set, so the claims of callers grant nothing: the auth service is asked for every permission, and has_admin_access makes nobody an administrator.',
  ];
}

function administratorNotices(settings: Settings, services: readonly ServedService[]): string[] {
  const hasOnlyMembers = acceptsBearers(settings, 'oidc') && !settings.authIdpEnabled;
  if (!services.includes('control-plane') || !hasOnlyMembers) return [];
  return [
    'Nobody can be an administrator: callers with an ID token are members, and they can sign in in no other way. Set -auth-idp-enabled=true (with -auth-bootstrap-admin-email), or -auth-bearer-mode=auth_service.',
  ];
}

function twoIssuerNotices(settings: Settings, services: readonly ServedService[]): string[] {
  const isHybrid = settings.authIdpEnabled && acceptsBearers(settings, 'auth_service');
  const { authIdpIssuerUrl: browser, authServiceIssuer, authBearerAuthServiceBaseUrl: own } = settings;
  const tools = authServiceIssuer ?? own ?? settings.adapterAuthServiceBaseUrl;
  if (!services.includes('control-plane') || !isHybrid || tools === browser) return [];
  return [
    `People who sign in by browser are users of "${browser}", and callers whose auth-service answer has no iss are users of "${tools}", so one person can be two users. To change that, set CAIRN_AUTH_SERVICE_ISSUER="${browser}". Callers known as users of "${tools}" are then new users.`,
  ];
}
