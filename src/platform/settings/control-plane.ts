import {
  agentsOfServices,
  authServiceUrl,
  choice,
  cookieDomain,
  duration,
  emailAddress,
  emailDomains,
  emptyMeans,
  flag,
  issuerUrl,
  safeHttpUrl,
  scopes,
  secret,
  text,
} from './kinds.ts';
import { optional, optionalSecret, required } from './setting.ts';

const defaultIssuer = 'https://accounts.google.com';

/** Names that existing deployments of the control plane use. */
function go(flag: string) {
  return { variable: `CONTROL_PLANE_${flag.toUpperCase().replaceAll('-', '_')}`, flag, hasGoFlag: true };
}

/** The settings of the control plane (control-plane specification, part 5). */
export const controlPlaneSettingTable = {
  authEnabled: required(go('auth-enabled'), flag, 'false').about(
    'Whether callers of the control plane must sign in. If false, every caller is an administrator.',
  ),
  authRegistrationTokenSecret: optionalSecret(go('auth-registration-token-secret'), secret(32)).about(
    'Secret that signs registration tokens of agents, at least 32 bytes. Without it no registration tokens are issued.',
  ),
  authRegistrationTokenIssuer: required(
    go('auth-registration-token-issuer'),
    text,
    'urn:cairn:control-plane',
  ).about('Issuer (iss) of registration tokens.'),
  gatewaySecret: optionalSecret('CAIRN_GATEWAY_SECRET', secret(32)).about(
    'Secret that signs the credentials of gateways (cairn gateway-token), at least 32 bytes. Without it nothing can report what agents do.',
  ),
  traceAgents: optional('CAIRN_TRACE_AGENTS', agentsOfServices).about(
    'The agents of services that send traces, as service.name=agent_id, separated by commas. Spans and resources with cairn.agent_id need none.',
  ),
  authAllowedEmailDomains: optional(go('auth-allowed-email-domains'), emailDomains).about(
    'E-mail domains, separated by commas, that may sign in by browser or call with an ID token. The address must be verified. Default: any domain.',
  ),
  authBootstrapAdminEmail: optional(go('auth-bootstrap-admin-email'), emailAddress).about(
    'Verified e-mail address whose first sign-in by browser makes an administrator.',
  ),
  authCookieDomain: optional(go('auth-cookie-domain'), cookieDomain).about(
    'Domain of the cookies. Default: only the host that sets them.',
  ),
  authCookieSecure: required(go('auth-cookie-secure'), flag, 'true').about(
    'Whether browsers send the cookies only over HTTPS. Localhost is exempt.',
  ),
  authSessionMaxAge: required(go('auth-session-max-age'), duration, '12h').about(
    'Maximum lifetime of a browser session.',
  ),
  authSessionIdleTimeout: {
    ...required(go('auth-session-idle-timeout'), duration, '2h').about(
      'How long a browser session lasts without a request. The default is at most -auth-session-max-age.',
    ),
    defaultAtMost: 'authSessionMaxAge',
  },
  authUiBaseUrl: optional(go('auth-ui-base-url'), safeHttpUrl).about(
    'Base URL of the user interface. Browsers return only there after signing in. Pages of its origin may call the API with the session. Default: /ui of this service.',
  ),
  authIdpEnabled: required(go('auth-idp-enabled'), flag, 'false').about(
    'Whether people can sign in by browser with an OpenID provider.',
  ),
  authStateSecret: optionalSecret(go('auth-state-secret'), secret(32)).about(
    'Secret that encrypts pending sign-ins and the tokens of sessions, at least 32 bytes. All processes need the same one. A new one ends all sessions.',
  ),
  authIdpIssuerUrl: required(
    go('auth-idp-issuer-url'),
    emptyMeans(defaultIssuer, issuerUrl),
    defaultIssuer,
  ).about('Issuer for sign-in by browser, exactly as in its iss claim.'),
  authIdpClientId: optional(go('auth-idp-client-id'), text).about(
    'Client id of this service at the sign-in issuer.',
  ),
  authIdpClientSecret: optionalSecret(go('auth-idp-client-secret'), secret(1)).about(
    'Client secret of this service at the sign-in issuer.',
  ),
  authIdpRedirectUrl: optional(go('auth-idp-redirect-url'), safeHttpUrl).about(
    'Redirect URL registered at the issuer: …/v1/auth/callback/idp of this service, as browsers see it.',
  ),
  authIdpScopes: required(go('auth-idp-scopes'), scopes, 'openid,profile,email').about(
    'Scopes that a sign-in requests, separated by commas.',
  ),
  authBearerEnabled: required(go('auth-bearer-enabled'), flag, 'false').about(
    'Whether tools can call with bearer tokens.',
  ),
  authBearerMode: required(
    go('auth-bearer-mode'),
    emptyMeans('oidc', choice('oidc', 'auth_service')),
    'oidc',
  ).about(
    'Who verifies bearer tokens. oidc: this service, with the keys of the issuer. auth_service: the auth service.',
  ),
  authBearerIssuerUrl: optional(go('auth-bearer-issuer-url'), issuerUrl).about(
    "Issuer of the tools' ID tokens, exactly as in their iss claim.",
  ),
  authBearerClientId: optional(go('auth-bearer-client-id'), text).about(
    'Client id with which tools sign in. It is the audience of their ID tokens.',
  ),
  authBearerScopes: required(go('auth-bearer-scopes'), scopes, 'openid,profile,email').about(
    'Scopes that tools should request, separated by commas.',
  ),
  authBearerAuthServiceBaseUrl: optional(go('auth-bearer-auth-service-base-url'), authServiceUrl).about(
    'Base URL of the auth service that verifies bearer tokens and decides who may read projects of the governance console.',
  ),
  adapterAuthServiceBaseUrl: optional(go('adapter-auth-service-base-url'), authServiceUrl).about(
    'Base URL of the auth service, used if -auth-bearer-auth-service-base-url is not set.',
  ),
};
