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
    about: 'Whether callers of the control plane must sign in. If false, every caller is an administrator.',
  }),
  authRegistrationTokenSecret: optional({
    ...row('auth-registration-token-secret'),
    kind: secret(32),
    isSecret: true,
    about:
      'Secret that signs registration tokens of agents, at least 32 bytes. Without it no registration tokens are issued.',
  }),
  authRegistrationTokenIssuer: required({
    ...row('auth-registration-token-issuer'),
    kind: text,
    default: 'urn:cairn:control-plane',
    about: 'Issuer (iss) of registration tokens.',
  }),
  authAllowedEmailDomains: optional({
    ...row('auth-allowed-email-domains'),
    kind: emailDomains,
    about:
      'E-mail domains, separated by commas, that may sign in by browser. The address must be verified. Default: any domain.',
  }),
  authBootstrapAdminEmail: optional({
    ...row('auth-bootstrap-admin-email'),
    kind: emailAddress,
    about: 'Verified e-mail address whose first sign-in by browser makes an administrator.',
  }),
  authCookieDomain: optional({
    ...row('auth-cookie-domain'),
    kind: cookieDomain,
    about: 'Domain of the cookies. Default: only the host that sets them.',
  }),
  authCookieSecure: required({
    ...row('auth-cookie-secure'),
    kind: flag,
    default: 'true',
    about: 'Whether browsers send the cookies only over HTTPS. Localhost is exempt.',
  }),
  authSessionMaxAge: required({
    ...row('auth-session-max-age'),
    kind: duration,
    default: '12h',
    about: 'Maximum lifetime of a browser session.',
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
    about:
      'Base URL of the user interface. Browsers return only there after signing in. Default: /ui of this service.',
  }),
  authIdpEnabled: required({
    ...row('auth-idp-enabled'),
    kind: flag,
    default: 'false',
    about: 'Whether people can sign in by browser with an OpenID provider.',
  }),
  authStateSecret: optional({
    ...row('auth-state-secret'),
    kind: secret(32),
    isSecret: true,
    about:
      'Secret that encrypts pending sign-ins and the ID tokens of sessions, at least 32 bytes. All processes need the same one.',
  }),
  authIdpIssuerUrl: required({
    ...row('auth-idp-issuer-url'),
    kind: emptyMeans(defaultIssuer, issuerUrl),
    default: defaultIssuer,
    about: 'Issuer for sign-in by browser, exactly as in its iss claim.',
  }),
  authIdpClientId: optional({
    ...row('auth-idp-client-id'),
    kind: text,
    about: 'Client id of this service at the sign-in issuer.',
  }),
  authIdpClientSecret: optional({
    ...row('auth-idp-client-secret'),
    kind: secret(1),
    isSecret: true,
    about: 'Client secret of this service at the sign-in issuer.',
  }),
  authIdpRedirectUrl: optional({
    ...row('auth-idp-redirect-url'),
    kind: safeHttpUrl,
    about:
      'Redirect URL registered at the issuer: …/v1/auth/callback/idp of this service, as browsers see it.',
  }),
  authIdpScopes: required({
    ...row('auth-idp-scopes'),
    kind: scopes,
    default: 'openid,profile,email',
    about: 'Scopes that a sign-in requests, separated by commas.',
  }),
  authBearerEnabled: required({
    ...row('auth-bearer-enabled'),
    kind: flag,
    default: 'false',
    about: 'Whether tools can call with bearer tokens.',
  }),
  authBearerMode: required({
    ...row('auth-bearer-mode'),
    kind: emptyMeans('oidc', choice('oidc', 'auth_service')),
    default: 'oidc',
    about:
      'Who verifies bearer tokens. oidc: this service, with the keys of the issuer. auth_service: the auth service.',
  }),
  authBearerIssuerUrl: optional({
    ...row('auth-bearer-issuer-url'),
    kind: issuerUrl,
    about: "Issuer of the tools' ID tokens, exactly as in their iss claim.",
  }),
  authBearerClientId: optional({
    ...row('auth-bearer-client-id'),
    kind: text,
    about: 'Client id with which tools sign in. It is the audience of their ID tokens.',
  }),
  authBearerScopes: required({
    ...row('auth-bearer-scopes'),
    kind: scopes,
    default: 'openid,profile,email',
    about: 'Scopes that tools should request, separated by commas.',
  }),
  authBearerAuthServiceBaseUrl: optional({
    ...row('auth-bearer-auth-service-base-url'),
    kind: safeHttpUrl,
    about: 'Base URL of the auth service that verifies bearer tokens.',
  }),
  adapterAuthServiceBaseUrl: optional({
    ...row('adapter-auth-service-base-url'),
    kind: safeHttpUrl,
    about: 'Base URL of the auth service, used if -auth-bearer-auth-service-base-url is not set.',
  }),
};

export type ControlPlaneSettings = ValuesOf<typeof controlPlaneSettingTable>;
