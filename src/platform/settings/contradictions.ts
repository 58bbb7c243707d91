import { acceptsBearers } from './modes.ts';
import type { ServedService, Settings } from './setting-table.ts';

/** Problems of settings that are valid one by one but do not fit together. Undefined settings are invalid. */
export function contradictions(settings: Partial<Settings>, isAuthGiven: boolean): string[] {
  return [
    ...sessionProblems(settings),
    ...signInProblems(settings, isAuthGiven),
    ...browserProblems(settings),
    ...bearerProblems(settings),
    ...limitProblems(settings),
    ...portProblems(settings),
  ];
}

/** Problems of the store, the jobs and the signing key. */
export function storeProblems(
  { jobs, mongodbUrl, redisUrl, signingKeyFile }: Partial<Settings>,
  services: readonly ServedService[],
): string[] {
  // The control plane runs no jobs and does not use the signing key.
  if (services.length > 0 && !services.includes('integrity')) return [];
  const problems: string[] = [];
  if (jobs === 'bullmq' && redisUrl === null)
    problems.push('CAIRN_JOBS="bullmq" needs a Redis. Set CAIRN_REDIS_URL, or set CAIRN_JOBS=in-process.');
  if (mongodbUrl && redisUrl === null && jobs !== 'in-process')
    problems.push(
      'CAIRN_MONGODB_URL is set, but CAIRN_REDIS_URL is not. Set it, so that all processes share their jobs. If there is only one process, set CAIRN_JOBS=in-process.',
    );
  if (mongodbUrl && signingKeyFile === null)
    problems.push(
      'CAIRN_MONGODB_URL is set, but CAIRN_SIGNING_KEY_FILE is not. Set it to a key file that all processes share. docs/operating.md says how to make one.',
    );
  return problems;
}

function portProblems({ port, metricsPort }: Partial<Settings>): string[] {
  if (!port || port !== metricsPort) return [];
  return [`CAIRN_METRICS_PORT and CAIRN_PORT are both ${port}. Metrics need a port of their own.`];
}

function sessionProblems({ authSessionMaxAge: maxAge, authSessionIdleTimeout: idle }: Partial<Settings>) {
  if (maxAge === undefined || idle === undefined || idle <= maxAge) return [];
  return [
    '-auth-session-idle-timeout is longer than -auth-session-max-age, so it would have no effect. Shorten the first or lengthen the second.',
  ];
}

/** Enabling a sign-in method without -auth-enabled is an error, because nobody would be asked to sign in. */
function signInProblems(
  { authEnabled, authIdpEnabled, authBearerEnabled }: Partial<Settings>,
  isAuthGiven: boolean,
): string[] {
  if (authEnabled && authIdpEnabled === false && authBearerEnabled === false)
    return [
      '-auth-enabled is true, but there is no way to sign in. Set -auth-idp-enabled=true for browsers, -auth-bearer-enabled=true for tools, or both.',
    ];
  if (isAuthGiven || !(authIdpEnabled || authBearerEnabled)) return [];
  const method = authIdpEnabled ? '-auth-idp-enabled' : '-auth-bearer-enabled';
  return [
    `${method} is true, but -auth-enabled is not set, so callers would not be authenticated. Set -auth-enabled=true (CONTROL_PLANE_AUTH_ENABLED), or -auth-enabled=false to serve without authentication.`,
  ];
}

function browserProblems(settings: Partial<Settings>): string[] {
  if (!settings.authEnabled || !settings.authIdpEnabled) return [];
  const { authIdpScopes: scopes, authIdpRedirectUrl: redirectUrl, authCookieDomain: domain } = settings;
  const problems: string[] = [];
  if (scopes && !scopes.includes('openid'))
    problems.push('-auth-idp-scopes lacks "openid", which is needed to get an ID token. Add it.');
  if (redirectUrl && domain && !covers(domain, new URL(redirectUrl).hostname))
    problems.push(
      `-auth-cookie-domain="${domain}" is not the domain of -auth-idp-redirect-url="${redirectUrl}", so browsers would refuse the cookies. Change one of them.`,
    );
  return problems;
}

function bearerProblems(settings: Partial<Settings>): string[] {
  const { authBearerAuthServiceBaseUrl: own, adapterAuthServiceBaseUrl: shared } = settings;
  if (acceptsBearers(settings, 'auth_service') && own === null && shared === null)
    return [
      '-auth-bearer-mode is auth_service, but the URL of the auth service is not set. Set -auth-bearer-auth-service-base-url (CONTROL_PLANE_AUTH_BEARER_AUTH_SERVICE_BASE_URL) or -adapter-auth-service-base-url (CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL).',
    ];
  const { authBearerScopes: scopes } = settings;
  if (acceptsBearers(settings, 'oidc') && scopes && !scopes.includes('openid'))
    return [
      `-auth-bearer-scopes="${scopes.join(',')}" (CONTROL_PLANE_AUTH_BEARER_SCOPES) lacks "openid", without which tools get no ID token. Add it.`,
    ];
  return [];
}

function limitProblems({ maxJsonBytes, maxCallerBufferedBytes, maxBufferedBytes }: Partial<Settings>) {
  const problems: string[] = [];
  if (
    maxJsonBytes !== undefined &&
    maxCallerBufferedBytes !== undefined &&
    maxJsonBytes > maxCallerBufferedBytes
  )
    problems.push(
      'CAIRN_MAX_JSON_BYTES is larger than CAIRN_MAX_CALLER_BUFFERED_BYTES, so the largest bodies would be refused. Lower the first or raise the second.',
    );
  if (
    maxCallerBufferedBytes !== undefined &&
    maxBufferedBytes !== undefined &&
    maxCallerBufferedBytes > maxBufferedBytes
  )
    problems.push(
      'CAIRN_MAX_CALLER_BUFFERED_BYTES is larger than CAIRN_MAX_BUFFERED_BYTES, so one caller could use all of it. Lower the first or raise the second.',
    );
  return problems;
}

/** Whether browsers send the cookies of a domain to a host (RFC 6265, section 5.1.3). */
function covers(domain: string, host: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
