import { addressList, authServiceUrl, choice, claimNamespace, flag, issuerUrl, rate, text } from './kinds.ts';
import { optional, required } from './setting.ts';

/** Settings of authentication and rate limits. `control-plane.ts` has those of the control plane. */
export const accessSettingTable = {
  authMode: optional(
    'CAIRN_AUTH_MODE',
    choice('disabled', 'oidc', 'auth_service'),
    'Who may call the integrity service. disabled: every program on this machine may do everything. oidc: callers with an access token of an OpenID provider. auth_service: callers whom an auth service accepts. Default: disabled, on loopback addresses only.',
  ),
  oidcIssuerUrl: optional(
    'CAIRN_OIDC_ISSUER_URL',
    issuerUrl,
    'Issuer of access tokens, exactly as in their iss claim. Its metadata is read from <issuer>/.well-known/openid-configuration. Must be https, except on this machine.',
  ),
  oidcAudience: optional('CAIRN_OIDC_AUDIENCE', text, 'Audience (aud) that access tokens must have.'),
  authServiceBaseUrl: optional(
    'CAIRN_AUTH_SERVICE_BASE_URL',
    authServiceUrl,
    'Base URL of the auth service. /api/v1/auth/validate and /api/v1/auth/authorize are called below it. Must be https, except on this machine or with CAIRN_ALLOW_HTTP_AUTH_SERVICE.',
  ),
  allowHttpAuthService: required(
    'CAIRN_ALLOW_HTTP_AUTH_SERVICE',
    flag,
    'false',
    'Allows auth services over plain http, in both services. Everybody on the network in between can read the tokens and change the answers.',
  ),
  authServiceIssuer: optional(
    'CAIRN_AUTH_SERVICE_ISSUER',
    text,
    'Issuer of callers whose auth-service answer has no iss, in both services. Set it to the sign-in issuer, so that people are the same users by browser and by token. Default: the base URL of the auth service at its first use. The store keeps it, and a service does not start with another one unless this setting names it.',
  ),
  claimNamespace: optional(
    'CAIRN_CLAIM_NAMESPACE',
    claimNamespace,
    'Prefix of the claims that grant permissions: <namespace>/permissions, <namespace>/organizations, <namespace>/has_admin_access.',
  ),
  blobScope: required(
    'CAIRN_BLOB_SCOPE',
    choice('any', 'project'),
    'any',
    "What a caller may read by its CID. any: everything, with view_project_data on at least one project. project: only statements of the caller's projects, and blobs that those statements refer to. It hides content, not existence: see docs/access.md.",
  ),
  trustedProxies: optional(
    'CAIRN_TRUSTED_PROXIES',
    addressList,
    'Addresses and networks of the proxies in front of the service, such as 10.0.0.0/8,::1. Their X-Forwarded-For entries are trusted.',
  ),
  loginRate: required(
    'CAIRN_LOGIN_RATE',
    rate,
    '30/1m',
    'How many sign-ins an address may start in a period.',
  ),
  callbackRate: required(
    'CAIRN_CALLBACK_RATE',
    rate,
    '30/1m',
    'How many sign-in callbacks an address may send in a period.',
  ),
  tokenFailureRate: required(
    'CAIRN_TOKEN_FAILURE_RATE',
    rate,
    '60/1m',
    'How many different refused tokens an address may send in a period, and how often it may send one of them, before it is answered 429. A token that was accepted in the last 30 seconds stays accepted.',
  ),
  allowUnauthenticated: required(
    'CAIRN_ALLOW_UNAUTHENTICATED',
    flag,
    'false',
    'Allows serving without authentication on addresses that other machines can reach. Anyone who reaches such an address may do everything.',
  ),
};
