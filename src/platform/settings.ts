import { contradictions } from './contradictions.ts';
import { exposedServices } from './exposed-services.ts';
import { optional, required, type Setting, type ValuesOf, writtenFlag } from './setting.ts';
import {
  addressList,
  bytes,
  choice,
  claimNamespace,
  databaseName,
  duration,
  flag,
  integer,
  issuerUrl,
  keyPrefix,
  mongodbUrl,
  rate,
  redisUrl,
  safeHttpUrl,
  text,
} from './setting-kinds.ts';
import { controlPlaneSettingTable } from './settings-control-plane.ts';
import { controlPlaneFaults } from './settings-control-plane-faults.ts';

/** Every setting of the service: what it is called, how it is read, what it is when nobody sets it. */
export const settingTable = {
  host: required({
    variable: 'CAIRN_HOST',
    flag: 'host',
    kind: text,
    default: '127.0.0.1',
    about: 'Address to listen on. Without authentication it must be a loopback address.',
  }),
  port: required({
    variable: 'CAIRN_PORT',
    flag: 'port',
    kind: integer(0, 65_535),
    default: '3050',
    about: 'Port to listen on; 0 takes a free one.',
  }),
  dataDir: required({
    variable: 'CAIRN_DATA_DIR',
    flag: 'data-dir',
    kind: text,
    default: './data',
    about:
      'Folder of the embedded store, for one process at a time. With MongoDB: of temporary files, which several processes may share.',
  }),
  mongodbUrl: optional({
    variable: 'CAIRN_MONGODB_URL',
    kind: mongodbUrl,
    isSecret: true,
    about:
      'Connection string of a MongoDB that keeps everything, for any number of processes. Without it: the embedded store.',
  }),
  mongodbDatabase: required({
    variable: 'CAIRN_MONGODB_DATABASE',
    kind: databaseName,
    default: 'cairn',
    about: 'Name of the database there.',
  }),
  contextsDir: optional({
    variable: 'CAIRN_CONTEXTS_DIR',
    flag: 'contexts-dir',
    kind: text,
    about:
      'Folder of trusted context documents: cid/<cid> for urn:cid:<cid>, https/<host>/<path> for a URL. Read when a context is first used.',
  }),
  workers: optional({
    variable: 'CAIRN_WORKERS',
    kind: integer(1, 256),
    about: 'Threads that identify statements. Default: as many as the machine runs at once.',
  }),
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
  signingKeyFile: optional({
    variable: 'CAIRN_SIGNING_KEY_FILE',
    kind: text,
    about:
      'JWK (OKP, Ed25519, private) that the service signs and registers with. Default: made in the data folder at first start; needed with MongoDB, the same for all processes.',
  }),
  logLevel: required({
    variable: 'CAIRN_LOG_LEVEL',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    about: 'Least severity that is logged. The log goes to stderr, one JSON object a line.',
  }),
  debugErrors: required({
    variable: 'CAIRN_DEBUG_ERRORS',
    kind: flag,
    default: 'false',
    about: 'Add the internal call stack to error answers.',
  }),
  maxJsonBytes: required({
    variable: 'CAIRN_MAX_JSON_BYTES',
    kind: bytes,
    default: '32MiB',
    about: 'Largest JSON body.',
  }),
  maxJsonDepth: required({
    variable: 'CAIRN_MAX_JSON_DEPTH',
    kind: integer(1, 256),
    default: '64',
    about: 'Deepest nesting of a JSON body.',
  }),
  maxStatementBytes: required({
    variable: 'CAIRN_MAX_STATEMENT_BYTES',
    kind: bytes,
    default: '1MiB',
    about: 'Largest single statement.',
  }),
  maxBatchStatements: required({
    variable: 'CAIRN_MAX_BATCH_STATEMENTS',
    kind: integer(1, 1_000_000),
    default: '10000',
    about: 'Most statements of a batch.',
  }),
  maxBlobBytes: required({
    variable: 'CAIRN_MAX_BLOB_BYTES',
    kind: bytes,
    default: '5GiB',
    about: 'Largest blob.',
  }),
  maxBatchParts: required({
    variable: 'CAIRN_MAX_BATCH_PARTS',
    kind: integer(1, 1_000_000),
    default: '10000',
    about: 'Most parts (multipart) or blocks (CAR) of a blob batch.',
  }),
  maxBatchBytes: required({
    variable: 'CAIRN_MAX_BATCH_BYTES',
    kind: bytes,
    default: '5GiB',
    about: 'Most bytes of a blob batch in total.',
  }),
  maxManifestBytes: required({
    variable: 'CAIRN_MAX_MANIFEST_BYTES',
    kind: bytes,
    default: '1GiB',
    about: 'Largest manifest that is imported.',
  }),
  redisUrl: optional({
    variable: 'CAIRN_REDIS_URL',
    kind: redisUrl,
    isSecret: true,
    about: 'Redis that wakes the workers of jobs: redis:// or rediss://. Needed with MongoDB.',
  }),
  redisPrefix: required({
    variable: 'CAIRN_REDIS_PREFIX',
    kind: keyPrefix,
    default: 'cairn',
    about: 'What the names of all keys there begin with; services that share a Redis need one each.',
  }),
  jobs: optional({
    variable: 'CAIRN_JOBS',
    kind: choice('bullmq', 'in-process'),
    about:
      'What wakes the workers of jobs. Default: bullmq with CAIRN_REDIS_URL, for any number of processes; in-process without, for one.',
  }),
  maxExports: required({
    variable: 'CAIRN_MAX_EXPORTS',
    kind: integer(1, 100_000),
    default: '1000',
    about: 'Most asynchronous exports of one caller that are not finished.',
  }),
  jobConcurrency: required({
    variable: 'CAIRN_JOB_CONCURRENCY',
    kind: integer(1, 64),
    default: '2',
    about: 'Jobs, such as asynchronous exports, that a process works on at once.',
  }),
  startWait: required({
    variable: 'CAIRN_START_WAIT',
    kind: duration,
    default: '30s',
    about: 'How long the start waits for its servers before it gives up.',
  }),
  limitWait: required({
    variable: 'CAIRN_LIMIT_WAIT',
    kind: duration,
    default: '10s',
    about: 'How long a request waits for its turn under the concurrency limits before it is answered 503.',
  }),
  documentTime: required({
    variable: 'CAIRN_DOCUMENT_TIME',
    kind: duration,
    default: '5s',
    about: 'Time for the canonicalization of one document before it is answered 400 too_complex.',
  }),
  requestTime: required({
    variable: 'CAIRN_REQUEST_TIME',
    kind: duration,
    default: '30s',
    about: 'Time that threads may spend on one request before it is answered 400 too_complex.',
  }),
  ...controlPlaneSettingTable,
};

export type Settings = ValuesOf<typeof settingTable>;

export type SettingName = keyof typeof settingTable;
export type Environment = Readonly<Record<string, string | undefined>>;

/** A service with an address of its own. */
export type ServedService = 'integrity' | 'control-plane';
const allServices: readonly ServedService[] = ['integrity', 'control-plane'];

/** All faults of a configuration at once, each a sentence. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

/** Read elsewhere: by the command-line client, and by tests. */
const foreign = /^CAIRN_(?:URL|TOKEN|TEST_.*|SERVICES_DIR)$/;

/**
 * Reads the settings: flag over variable over default.
 * @param services those that are to be served, which have to be safe where they listen.
 * @throws SettingsError with every fault.
 */
export function readSettings(
  environment: Environment,
  flags: Partial<Record<SettingName, string>> = {},
  services: readonly ServedService[] = allServices,
): Settings {
  const names = Object.keys(settingTable) as SettingName[];
  const { settings, faults } = readEach(names, environment, flags);
  faults.push(
    ...contradictions(settings, services),
    ...controlPlaneFaults(settings),
    ...exposedServices(settings, services),
  );
  if (faults.length > 0) throw new SettingsError(faults);
  return settings as Settings;
}

/**
 * Reads what a command needs that works beside the service: whether a service could start with it is not asked.
 * @throws SettingsError with every fault.
 */
export function readSomeSettings<Name extends SettingName>(
  names: readonly Name[],
  environment: Environment,
  flags: Partial<Record<Name, string>> = {},
): Pick<Settings, Name> {
  const { settings, faults } = readEach(names, environment, flags);
  if (faults.length > 0) throw new SettingsError(faults);
  return settings as Pick<Settings, Name>;
}

function readEach(
  names: readonly SettingName[],
  environment: Environment,
  flags: Partial<Record<SettingName, string>>,
): { readonly settings: Partial<Settings>; readonly faults: string[] } {
  const faults: string[] = [];
  const settings: Partial<Record<SettingName, unknown>> = {};
  for (const name of names) {
    const setting: Setting<unknown> = settingTable[name];
    const written = flags[name] ?? given(setting, environment) ?? setting.default;
    const source = flags[name] === undefined ? setting.variable : writtenFlag(setting);
    try {
      const isEmptied = written === '' && setting.default === null && setting.emptyIsUnset;
      settings[name] = written === null || isEmptied ? null : setting.kind.parse(written);
    } catch (error) {
      faults.push(`${source}="${setting.isSecret ? '…' : written}" ${(error as Error).message}.`);
    }
  }
  return { settings: settings as Partial<Settings>, faults };
}

function given({ variable, emptyIsUnset }: Setting<unknown>, environment: Environment): string | undefined {
  const value = environment[variable];
  return value?.trim() === '' && emptyIsUnset ? undefined : value;
}

const prefixes = /^(?:CAIRN|CONTROL_PLANE_AUTH|CONTROL_PLANE_ADAPTER)_/;

/** Variables that look like settings and are none: most likely misspelt. */
export function unknownVariables(environment: Environment): string[] {
  const known = new Set(Object.values(settingTable).map(({ variable }) => variable));
  return Object.keys(environment).filter(
    (name) => prefixes.test(name) && !known.has(name) && !foreign.test(name),
  );
}

export interface EffectiveSetting {
  readonly variable: string;
  readonly flag: string | null;
  readonly value: string | null;
  readonly isDefault: boolean;
  readonly about: string;
}

/** What `cairn config` prints; secrets are masked. */
export function effectiveSettings(
  environment: Environment,
  flags: Partial<Record<SettingName, string>> = {},
): EffectiveSetting[] {
  return Object.entries(settingTable).map(([name, setting]: [string, Setting<unknown>]) => {
    const set = flags[name as SettingName] ?? given(setting, environment);
    const value = set ?? setting.default;
    const shown = value !== null && setting.isSecret ? '••••••' : value;
    const { variable, about } = setting;
    return { variable, flag: setting.flag ?? null, value: shown, isDefault: set === undefined, about };
  });
}
