import { isLoopback, isSafeUrl } from '../http/addresses.ts';
import { type Given, modes } from './modes.ts';
import { type Setting, writtenFlag } from './setting.ts';
import {
  acceptsBearers,
  isBesideOther,
  isUnauthenticated,
  type Served,
  type SettingName,
  settingTable,
  sharesTokens,
  signsInByBrowser,
} from './setting-table.ts';

interface Start {
  readonly services: readonly Served[];
  /** Whether anybody has said whether callers of the control plane must sign in. */
  readonly isAuthGiven: boolean;
}

/** What is wrong with settings that are valid one by one; nothing if they fit together. */
type Rule = (given: Given, start: Start) => string | readonly string[] | false | null | undefined;

function rulesFor(counts: (services: Start['services']) => boolean) {
  return (rule: Rule): Rule =>
    (given, start) =>
      counts(start.services) && rule(given, start);
}

const forIntegrity = rulesFor((services) => services.includes('integrity'));
const forControlPlane = rulesFor((services) => services.includes('control-plane'));
/** The control plane runs no jobs and does not use the signing key. */
const forJobs = rulesFor((services) => services.length === 0 || services.includes('integrity'));

const neededForAdmission = [
  'admissionCertFile',
  'admissionKeyFile',
  'admissionServiceUrl',
  'admissionPoliciesDir',
] as const;

/** Each keeps the services from starting. */
const problems: readonly Rule[] = [
  forJobs(
    ({ jobs, redisUrl }) =>
      jobs === 'bullmq' &&
      redisUrl === null &&
      'CAIRN_JOBS="bullmq" needs a Redis. Set CAIRN_REDIS_URL, or set CAIRN_JOBS=in-process.',
  ),
  forJobs(
    ({ mongodbUrl, redisUrl, jobs }) =>
      mongodbUrl &&
      redisUrl === null &&
      jobs !== 'in-process' &&
      'CAIRN_MONGODB_URL is set, but CAIRN_REDIS_URL is not. Set it, so that all processes share their jobs. If there is only one process, set CAIRN_JOBS=in-process.',
  ),
  forJobs(
    ({ mongodbUrl, signingKeyFile }) =>
      mongodbUrl &&
      signingKeyFile === null &&
      'CAIRN_MONGODB_URL is set, but CAIRN_SIGNING_KEY_FILE is not. Set it to a key file that all processes share. docs/operating.md says how to make one.',
  ),
  (given) =>
    modes
      .filter(({ isChosen }) => isChosen(given))
      .flatMap(({ needs, choice }) =>
        needs
          .filter((name) => given[name] === null)
          .map((name) => `${written(name, 'is not set')}. It is required with ${choice}.`),
      ),
  (given) =>
    given.authMode === null &&
    modes
      .filter(({ service }) => service === 'integrity')
      .flatMap(({ own, choice }) =>
        own
          .filter((name) => given[name] != null)
          .map(
            (name) =>
              `${written(name)} is set, but CAIRN_AUTH_MODE is not, so callers would not be authenticated. Set ${choice}, or CAIRN_AUTH_MODE=disabled to serve without authentication.`,
          ),
      ),
  ({ authSessionMaxAge: maxAge = Infinity, authSessionIdleTimeout: idle = 0 }) =>
    idle > maxAge &&
    '-auth-session-idle-timeout is longer than -auth-session-max-age, so it would have no effect. Shorten the first or lengthen the second.',
  ({ authEnabled, authIdpEnabled, authBearerEnabled }) =>
    authEnabled &&
    authIdpEnabled === false &&
    authBearerEnabled === false &&
    '-auth-enabled is true, but there is no way to sign in. Set -auth-idp-enabled=true for browsers, -auth-bearer-enabled=true for tools, or both.',
  ({ authIdpEnabled, authBearerEnabled }, { isAuthGiven }) =>
    !isAuthGiven &&
    (authIdpEnabled || authBearerEnabled) &&
    `${authIdpEnabled ? '-auth-idp-enabled' : '-auth-bearer-enabled'} is true, but -auth-enabled is not set, so callers would not be authenticated. Set -auth-enabled=true (CONTROL_PLANE_AUTH_ENABLED), or -auth-enabled=false to serve without authentication.`,
  (given) =>
    signsInByBrowser(given) &&
    given.authIdpScopes?.includes('openid') === false &&
    '-auth-idp-scopes lacks "openid", which is needed to get an ID token. Add it.',
  (given) => {
    const { authIdpRedirectUrl: redirectUrl, authCookieDomain: domain } = given;
    if (!signsInByBrowser(given) || !redirectUrl || !domain) return undefined;
    return (
      !covers(domain, new URL(redirectUrl).hostname) &&
      `-auth-cookie-domain="${domain}" is not the domain of -auth-idp-redirect-url="${redirectUrl}", so browsers would refuse the cookies. Change one of them.`
    );
  },
  (given, { services }) =>
    isAlone('integrity', services) &&
    sharesTokens(given) &&
    given.mongodbUrl === null &&
    '-auth-idp-enabled is true, but the sessions of people who sign in by browser are in the store of the control plane, and two processes cannot share an embedded store. Set CAIRN_MONGODB_URL in both, serve both in one process, or remove -auth-idp-enabled (CONTROL_PLANE_AUTH_IDP_ENABLED) here.',
  (given) =>
    acceptsBearers(given, 'auth_service') &&
    given.authBearerAuthServiceBaseUrl === null &&
    given.adapterAuthServiceBaseUrl === null &&
    '-auth-bearer-mode is auth_service, but the URL of the auth service is not set. Set -auth-bearer-auth-service-base-url (CONTROL_PLANE_AUTH_BEARER_AUTH_SERVICE_BASE_URL) or -adapter-auth-service-base-url (CONTROL_PLANE_ADAPTER_AUTH_SERVICE_BASE_URL).',
  (given) =>
    acceptsBearers(given, 'oidc') &&
    given.authBearerScopes?.includes('openid') === false &&
    `-auth-bearer-scopes="${given.authBearerScopes.join(',')}" (CONTROL_PLANE_AUTH_BEARER_SCOPES) lacks "openid", without which tools get no ID token. Add it.`,
  ({ maxJsonBytes = 0, maxCallerBufferedBytes = Infinity }) =>
    maxJsonBytes > maxCallerBufferedBytes &&
    'CAIRN_MAX_JSON_BYTES is larger than CAIRN_MAX_CALLER_BUFFERED_BYTES, so the largest bodies would be refused. Lower the first or raise the second.',
  ({ maxCallerBufferedBytes = 0, maxBufferedBytes = Infinity }) =>
    maxCallerBufferedBytes > maxBufferedBytes &&
    'CAIRN_MAX_CALLER_BUFFERED_BYTES is larger than CAIRN_MAX_BUFFERED_BYTES, so one caller could use all of it. Lower the first or raise the second.',
  (given, { services }) =>
    services.includes('admission') &&
    neededForAdmission
      .filter((name) => given[name] === null)
      .map((name) => `${settingTable[name].variable} is not set, and "cairn serve admission" needs it.`),
  ({ port, metricsPort }) =>
    Boolean(port) &&
    port === metricsPort &&
    `CAIRN_METRICS_PORT and CAIRN_PORT are both ${port}. Metrics need a port of their own.`,
  (given) =>
    given.allowHttpAuthService === false &&
    insecureAuthServices(given).map(
      (place) =>
        `${place} must be an https URL (http only for this machine). Inside a trusted network, set CAIRN_ALLOW_HTTP_AUTH_SERVICE=true.`,
    ),
  (given, { services }) => {
    const names = unauthenticatedServices(given, services).join(' and ');
    return (
      isReachable(given) &&
      given.allowUnauthenticated === false &&
      names !== '' &&
      `CAIRN_HOST="${given.host}" can be reached from other machines, but authentication is disabled for ${names}. Enable it, serve only the other service, listen on 127.0.0.1, or set CAIRN_ALLOW_UNAUTHENTICATED=true to let everybody do everything.`
    );
  },
  // Otherwise credentials would name an address for ever at which nobody finds their status lists.
  forIntegrity((given) => {
    const reason = isReachable(given)
      ? `CAIRN_HOST="${given.host}" can be reached from other machines`
      : given.mongodbUrl && 'processes share CAIRN_MONGODB_URL';
    return (
      given.publicUrl === null &&
      reason &&
      `CAIRN_PUBLIC_URL is not set, but ${reason}. Credentials name the place of their status lists for ever, so set it to the URL at which others reach this service, such as https://cairn.example.`
    );
  }),
];

/** Each is something that an operator should know at the start. */
const notices: readonly Rule[] = [
  (given, { services }) =>
    modes
      .filter(({ service, isChosen }) => services.includes(service) && !isChosen(given))
      .flatMap(({ own, choice }) =>
        own
          .filter((name) => given[name] !== null)
          .map((name) => `${written(name)} is set but has no effect. It needs ${choice}.`),
      ),
  (given) =>
    insecureAuthServices(given).map(
      (place) =>
        `${place} is plain HTTP. Everybody on the network in between can read and change tokens and permissions.`,
    ),
  (given, { services }) =>
    given.claimNamespace === null &&
    ((services.includes('integrity') && given.authMode === 'auth_service') ||
      (services.includes('control-plane') && acceptsBearers(given, 'auth_service'))) &&
    'CAIRN_CLAIM_NAMESPACE is not set, so the claims of callers grant nothing: the auth service is asked for every permission, and has_admin_access makes nobody an administrator.',
  forControlPlane(
    (given) =>
      acceptsBearers(given, 'oidc') &&
      !given.authIdpEnabled &&
      'Nobody can be an administrator: callers with an ID token are members, and they can sign in in no other way. Set -auth-idp-enabled=true (with -auth-bootstrap-admin-email), or -auth-bearer-mode=auth_service.',
  ),
  (given, { services }) =>
    signsInByBrowser(given) &&
    given.authMode === 'oidc' &&
    !sharesTokens(given) &&
    services.length > 0 &&
    `People who sign in by browser cannot read statements: they sign in at "${given.authIdpIssuerUrl}", and the integrity service takes tokens of "${given.oidcIssuerUrl}". Set -auth-idp-issuer-url and CAIRN_OIDC_ISSUER_URL to the same provider.`,
  (given, { services }) =>
    isAlone('integrity', services) &&
    sharesTokens(given) &&
    !isBesideOther(services, given) &&
    `People who sign in by browser cannot read statements: they sign in at "${given.authIdpRedirectUrl}", which is at another address than CAIRN_PUBLIC_URL="${given.publicUrl}". Browsers send their sessions to one address, so put both services behind one.`,
  forControlPlane((given) => {
    const { authIdpIssuerUrl: browser, authServiceIssuer, authBearerAuthServiceBaseUrl: own } = given;
    const tools = authServiceIssuer ?? own ?? given.adapterAuthServiceBaseUrl;
    return (
      given.authIdpEnabled &&
      acceptsBearers(given, 'auth_service') &&
      tools !== browser &&
      `People who sign in by browser are users of "${browser}", and callers whose auth-service answer has no iss are users of "${tools}", so one person can be two users. To change that, set CAIRN_AUTH_SERVICE_ISSUER="${browser}". Callers known as users of "${tools}" are then new users.`
    );
  }),
];

/** The sentences of rules that do not hold. */
function said(rules: readonly Rule[], given: Given, start: Start): string[] {
  return rules.flatMap((rule) => rule(given, start) || []);
}

export function problemsBetween(given: Given, start: Start): string[] {
  return said(problems, given, start);
}

export function startNotices(settings: Given, services: readonly Served[]): string[] {
  return said(notices, settings, { services, isAuthGiven: true });
}

/** The services without authentication, each with the setting that enables it. */
export function unauthenticatedServices(given: Given, services: readonly Served[]): string[] {
  const names: Readonly<Record<Served, string>> = {
    integrity: 'the integrity service (CAIRN_AUTH_MODE)',
    'control-plane': 'the control plane (-auth-enabled)',
    admission: 'the admission webhook',
  };
  return services.filter((service) => isUnauthenticated(service, given)).map((service) => names[service]);
}

const authServiceUrls = [
  'authServiceBaseUrl',
  'authBearerAuthServiceBaseUrl',
  'adapterAuthServiceBaseUrl',
] as const satisfies readonly SettingName[];

/** The auth services that are neither https nor on this machine. */
function insecureAuthServices(given: Given): string[] {
  return authServiceUrls.flatMap((name) => {
    const url = given[name];
    return url && !isSafeUrl(new URL(url)) ? [`${settingTable[name].variable}="${url}"`] : [];
  });
}

function isAlone(service: Served, services: readonly Served[]): boolean {
  return services.length === 1 && services[0] === service;
}

function isReachable({ host }: Given): boolean {
  return host !== undefined && !isLoopback(host);
}

/** Whether browsers send the cookies of a domain to a host (RFC 6265, section 5.1.3). */
function covers(domain: string, host: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

function written(name: SettingName, is = ''): string {
  const setting: Setting<unknown> = settingTable[name];
  const words = setting.hasGoFlag
    ? [writtenFlag(setting), is, `(${setting.variable})`]
    : [setting.variable, is];
  return words.filter(Boolean).join(' ');
}
