import { choice, duration, flag, issuerUrl, safeHttpUrl, text } from './kinds.ts';
import { cookieDomain, emailAddress, emailDomains, emptyMeans, scopes, secret } from './kinds-access.ts';
import { optional, required, type Setting, type ValuesOf } from './setting.ts';

const defaultIssuer = 'https://accounts.google.com';

/** The flags and variables of the control plane have the names that deployments of it know. */
function row<const Name extends string>(name: Name) {
  return {
    variable: `CONTROL_PLANE_${name.toUpperCase().replaceAll('-', '_')}`,
    flag: name,
    hasGoFlag: true,
    emptyIsUnset: true,
  } satisfies Partial<Setting<unknown>>;
}

/** The settings of the control plane (control-plane specification, part 5). */
export const controlPlaneSettingTable = {
  authEnabled: required({
    ...row('auth-enabled'),
    kind: flag,
    default: 'false',
    about: 'Whether the control plane asks its callers who they are. Without: everybody is an administrator.',
  }),
  authRegistrationTokenSecret: optional({
    ...row('auth-registration-token-secret'),
    kind: secret(32),
    isSecret: true,
    about: 'Signs registration tokens of agents; at least 32 bytes. Without it none are issued.',
  }),
  authRegistrationTokenIssuer: required({
    ...row('auth-registration-token-issuer'),
    kind: text,
    default: 'urn:cairn:control-plane',
    about: 'Issuer that registration tokens name.',
  }),
  authAllowedEmailDomains: optional({
    ...row('auth-allowed-email-domains'),
    kind: emailDomains,
    about:
      'Domains, separated by commas, of the verified e-mail addresses that may sign in by browser. Default: any.',
  }),
  authBootstrapAdminEmail: optional({
    ...row('auth-bootstrap-admin-email'),
    kind: emailAddress,
    about: 'Verified e-mail address that becomes an administrator when it first signs in by browser.',
  }),
  authCookieDomain: optional({
    ...row('auth-cookie-domain'),
    kind: cookieDomain,
    about: 'Domain of the cookies. Default: the host that sets them, alone.',
  }),
  authCookieSecure: required({
    ...row('auth-cookie-secure'),
    kind: flag,
    default: 'true',
    about: 'Whether browsers send the cookies over HTTPS only (and to this machine itself).',
  }),
  authSessionMaxAge: required({
    ...row('auth-session-max-age'),
    kind: duration,
    default: '12h',
    about: 'How long a browser session lasts at most.',
  }),
  authSessionIdleTimeout: required({
    ...row('auth-session-idle-timeout'),
    kind: duration,
    default: '2h',
    about: 'How long a browser session lasts without a request.',
  }),
  authUiBaseUrl: optional({
    ...row('auth-ui-base-url'),
    kind: safeHttpUrl,
    about: 'Where the user interface is; browsers return there alone. Default: /ui of this service.',
  }),
  authIdpEnabled: required({
    ...row('auth-idp-enabled'),
    kind: flag,
    default: 'false',
    about: 'Whether people sign in by browser at an OpenID provider.',
  }),
  authStateSecret: optional({
    ...row('auth-state-secret'),
    kind: secret(32),
    isSecret: true,
    about:
      'Seals sign-ins that go on, and the ID tokens of sessions; at least 32 bytes, the same for all processes.',
  }),
  authIdpIssuerUrl: required({
    ...row('auth-idp-issuer-url'),
    kind: emptyMeans(defaultIssuer, issuerUrl),
    default: defaultIssuer,
    about: 'Issuer at which people sign in, exactly as it names itself.',
  }),
  authIdpClientId: optional({
    ...row('auth-idp-client-id'),
    kind: text,
    about: 'Client id of this service there.',
  }),
  authIdpClientSecret: optional({
    ...row('auth-idp-client-secret'),
    kind: secret(1),
    isSecret: true,
    about: 'Client secret of this service there.',
  }),
  authIdpRedirectUrl: optional({
    ...row('auth-idp-redirect-url'),
    kind: safeHttpUrl,
    about: 'Where browsers come back to, as it is registered there: …/v1/auth/callback/idp of this service.',
  }),
  authIdpScopes: required({
    ...row('auth-idp-scopes'),
    kind: scopes,
    default: 'openid,profile,email',
    about: 'Scopes that sign-ins ask for, separated by commas.',
  }),
  authBearerEnabled: required({
    ...row('auth-bearer-enabled'),
    kind: flag,
    default: 'false',
    about: 'Whether tools call with bearer tokens.',
  }),
  authBearerMode: required({
    ...row('auth-bearer-mode'),
    kind: emptyMeans('oidc', choice('oidc', 'auth_service')),
    default: 'oidc',
    about: 'Who verifies them: oidc, this service by the keys of the issuer; auth_service, the auth service.',
  }),
  authBearerIssuerUrl: optional({
    ...row('auth-bearer-issuer-url'),
    kind: issuerUrl,
    about: 'Issuer of the ID tokens of tools, exactly as it names itself.',
  }),
  authBearerClientId: optional({
    ...row('auth-bearer-client-id'),
    kind: text,
    about: 'Client id that tools sign in with, and the audience of their ID tokens.',
  }),
  authBearerScopes: required({
    ...row('auth-bearer-scopes'),
    kind: scopes,
    default: 'openid,profile,email',
    about: 'Scopes that tools are told to ask for, separated by commas.',
  }),
  authBearerAuthServiceBaseUrl: optional({
    ...row('auth-bearer-auth-service-base-url'),
    kind: safeHttpUrl,
    about: 'Where the auth service is that verifies bearer tokens.',
  }),
  adapterAuthServiceBaseUrl: optional({
    ...row('adapter-auth-service-base-url'),
    kind: safeHttpUrl,
    about: 'Where the auth service is, unless -auth-bearer-auth-service-base-url says so.',
  }),
};

export type ControlPlaneSettings = ValuesOf<typeof controlPlaneSettingTable>;
