import { addressList, choice, claimNamespace, flag, issuerUrl, rate, safeHttpUrl, text } from './kinds.ts';
import { optional, required } from './setting.ts';

/** Who may call, and from where; for the control plane see `settings-control-plane.ts`. */
export const accessSettingTable = {
  authMode: optional({
    variable: 'CAIRN_AUTH_MODE',
    kind: choice('disabled', 'oidc', 'auth_service'),
    about:
      'Who may call the integrity service. disabled: everybody on this machine may do everything; oidc: bearers of access tokens of an OpenID provider; auth_service: whom an auth service vouches for. Default: disabled, on loopback addresses alone.',
  }),
  oidcIssuerUrl: optional({
    variable: 'CAIRN_OIDC_ISSUER_URL',
    kind: issuerUrl,
    about:
      'Issuer of the tokens, as they write it. Its metadata are at /.well-known/openid-configuration beneath; https, except on this machine.',
  }),
  oidcAudience: optional({
    variable: 'CAIRN_OIDC_AUDIENCE',
    kind: text,
    about: 'What tokens for this service have as their audience (aud).',
  }),
  authServiceBaseUrl: optional({
    variable: 'CAIRN_AUTH_SERVICE_BASE_URL',
    kind: safeHttpUrl,
    about:
      'Auth service that is asked: /api/v1/auth/validate and /api/v1/auth/authorize beneath. https, except on this machine.',
  }),
  claimNamespace: optional({
    variable: 'CAIRN_CLAIM_NAMESPACE',
    kind: claimNamespace,
    about:
      'What the names of the claims begin with that say what a caller may do: <namespace>/permissions, <namespace>/organizations, <namespace>/has_admin_access.',
  }),
  blobScope: required({
    variable: 'CAIRN_BLOB_SCOPE',
    kind: choice('any', 'project'),
    default: 'any',
    about:
      'What may be read by its CID. any: everything, with view_project_data in some project; project: what is in the projects of the caller, or what their statements refer to.',
  }),
  trustedProxies: optional({
    variable: 'CAIRN_TRUSTED_PROXIES',
    kind: addressList,
    about:
      'Addresses and networks of the proxies before the service, such as 10.0.0.0/8,::1: what they add to X-Forwarded-For is believed.',
  }),
  loginRate: required({
    variable: 'CAIRN_LOGIN_RATE',
    kind: rate,
    default: '30/1m',
    about: 'Logins that an address may begin in a time.',
  }),
  callbackRate: required({
    variable: 'CAIRN_CALLBACK_RATE',
    kind: rate,
    default: '30/1m',
    about: 'Logins that an address may come back from in a time.',
  }),
  tokenFailureRate: required({
    variable: 'CAIRN_TOKEN_FAILURE_RATE',
    kind: rate,
    default: '60/1m',
    about:
      'Refused tokens from an address in a time, before it is answered 429. Tokens that were accepted within half a minute go on being accepted.',
  }),
  allowUnauthenticated: required({
    variable: 'CAIRN_ALLOW_UNAUTHENTICATED',
    kind: flag,
    default: 'false',
    about:
      'Serve without authentication on addresses that other machines reach. Whoever reaches it may do everything.',
  }),
};
