import { addressList, choice, claimNamespace, flag, issuerUrl, rate, safeHttpUrl, text } from './kinds.ts';
import { optional, required } from './setting.ts';

/** Who may call, and from where; for the control plane see `settings-control-plane.ts`. */
export const accessSettingTable = {
  authMode: optional({
    variable: 'CAIRN_AUTH_MODE',
    kind: choice('disabled', 'oidc', 'auth_service'),
    about:
      'Who may call the integrity service. disabled: every program on this machine may do everything. oidc: callers with an access token of an OpenID provider. auth_service: callers whom an auth service accepts. Default: disabled, on loopback addresses only.',
  }),
  oidcIssuerUrl: optional({
    variable: 'CAIRN_OIDC_ISSUER_URL',
    kind: issuerUrl,
    about:
      'Issuer of access tokens, exactly as in their iss claim. Its metadata is read from <issuer>/.well-known/openid-configuration. Must be https, except on this machine.',
  }),
  oidcAudience: optional({
    variable: 'CAIRN_OIDC_AUDIENCE',
    kind: text,
    about: 'Audience (aud) that access tokens must have.',
  }),
  authServiceBaseUrl: optional({
    variable: 'CAIRN_AUTH_SERVICE_BASE_URL',
    kind: safeHttpUrl,
    about:
      'Base URL of the auth service. /api/v1/auth/validate and /api/v1/auth/authorize are called below it. Must be https, except on this machine.',
  }),
  claimNamespace: optional({
    variable: 'CAIRN_CLAIM_NAMESPACE',
    kind: claimNamespace,
    about:
      'Prefix of the claims that grant permissions: <namespace>/permissions, <namespace>/organizations, <namespace>/has_admin_access.',
  }),
  blobScope: required({
    variable: 'CAIRN_BLOB_SCOPE',
    kind: choice('any', 'project'),
    default: 'any',
    about:
      "What a caller may read by its CID. any: everything, with view_project_data on at least one project. project: only statements of the caller's projects, and blobs that those statements refer to.",
  }),
  trustedProxies: optional({
    variable: 'CAIRN_TRUSTED_PROXIES',
    kind: addressList,
    about:
      'Addresses and networks of the proxies in front of the service, such as 10.0.0.0/8,::1. Their X-Forwarded-For entries are trusted.',
  }),
  loginRate: required({
    variable: 'CAIRN_LOGIN_RATE',
    kind: rate,
    default: '30/1m',
    about: 'How many sign-ins an address may start in a period.',
  }),
  callbackRate: required({
    variable: 'CAIRN_CALLBACK_RATE',
    kind: rate,
    default: '30/1m',
    about: 'How many sign-in callbacks an address may send in a period.',
  }),
  tokenFailureRate: required({
    variable: 'CAIRN_TOKEN_FAILURE_RATE',
    kind: rate,
    default: '60/1m',
    about:
      'How many refused tokens an address may send in a period before it is answered 429. A token that was accepted in the last 30 seconds stays accepted.',
  }),
  allowUnauthenticated: required({
    variable: 'CAIRN_ALLOW_UNAUTHENTICATED',
    kind: flag,
    default: 'false',
    about:
      'Allows serving without authentication on addresses that other machines can reach. Anyone who reaches such an address may do everything.',
  }),
};
