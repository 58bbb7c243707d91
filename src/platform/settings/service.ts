import { furtherHashes, usualHashes } from '../../domain/integrity/identifiers/hashing.ts';
import {
  addressList,
  authServiceUrl,
  bytes,
  choice,
  claimNamespace,
  databaseName,
  flag,
  integer,
  issuerUrl,
  keyPrefix,
  mongodbUrl,
  publicUrl,
  rate,
  redisUrl,
  someOf,
  text,
  wait,
} from './kinds.ts';
import { optional, optionalSecret, required } from './setting.ts';

/** Addresses, stores, queue and log. */
export const placeSettingTable = {
  host: required({ variable: 'CAIRN_HOST', flag: 'host' }, text, '127.0.0.1').about(
    'Address to listen on. Without authentication it must be a loopback address.',
  ),
  port: required({ variable: 'CAIRN_PORT', flag: 'port' }, integer(0, 65_535), '3050').about(
    'Port to listen on. 0 picks a free port.',
  ),
  metricsPort: optional('CAIRN_METRICS_PORT', integer(0, 65_535)).about(
    'Port of GET /metrics for Prometheus, on the address CAIRN_HOST. It has no authentication. 0 picks a free port. Default: no metrics.',
  ),
  publicUrl: optional('CAIRN_PUBLIC_URL', publicUrl).about(
    'Address at which others reach the service. Ids of credentials and status lists start with it. If it is https and has a host name, the service is a did:web of that name. Required with CAIRN_MONGODB_URL, and if other machines can reach CAIRN_HOST. Default: the address to listen on.',
  ),
  serviceName: required('CAIRN_SERVICE_NAME', text, 'this service').about(
    'What pages, reports and answers call the service itself, beside its DID.',
  ),
  publicStatusLists: required('CAIRN_PUBLIC_STATUS_LISTS', flag, 'false').about(
    'Whether anybody may read signed status lists without a token.',
  ),
  maxConnections: optional('CAIRN_MAX_CONNECTIONS', integer(1, 1_000_000)).about(
    'How many connections a process accepts at once. More are closed. Default: half of the file descriptors that the process may open, at most 10000.',
  ),
  dataDir: required({ variable: 'CAIRN_DATA_DIR', flag: 'data-dir' }, text, './data').about(
    'Folder of the embedded store. One process at a time may use it. With MongoDB it holds only temporary files, and several processes may share it.',
  ),
  mongodbUrl: optionalSecret('CAIRN_MONGODB_URL', mongodbUrl).about(
    'Connection string of the MongoDB that holds all data. Any number of processes may share it. Without it the embedded store is used.',
  ),
  mongodbDatabase: required('CAIRN_MONGODB_DATABASE', databaseName, 'cairn').about(
    'Name of the MongoDB database.',
  ),
  blobHashes: required('CAIRN_BLOB_HASHES', someOf(...furtherHashes), usualHashes.join(',')).about(
    'What blobs are hashed with beside BLAKE3 and SHA-256, so that they are found by these digests: sha512, git (SHA-1 of the git blob object) and md5. Blobs that are stored already get missing digests in the background.',
  ),
  contextsDir: optional({ variable: 'CAIRN_CONTEXTS_DIR', flag: 'contexts-dir' }, text).about(
    'Folder of trusted context documents: cid/<cid> for urn:cid:<cid>, https/<host>/<path> for a URL. A document is read when it is first used.',
  ),
  workers: optional('CAIRN_WORKERS', integer(1, 256)).about(
    'Number of threads that identify statements. Default: the number of CPUs that the process may use.',
  ),
  signingKeyFile: optional('CAIRN_SIGNING_KEY_FILE', text).about(
    'Keys of the service, for signing and for registeredBy: a private JWK (Ed25519 or P-256), or a JWK Set whose first key is active and whose other keys are former ones. Default: a key in the data folder, made at the first start. Required with MongoDB, where all processes need the same key.',
  ),
  dsseKeysFile: optional('CAIRN_DSSE_KEYS_FILE', text).about(
    'Keys that sign DSSE envelopes and Sigstore bundles: a JWK Set whose keys have a kid, which signatures name as keyid. Keys that are a did:key need no entry.',
  ),
  sigstoreTrustedRoot: optional('CAIRN_SIGSTORE_TRUSTED_ROOT', text).about(
    'File with the authorities and logs that Sigstore bundles are checked against (trusted_root.json). Without it only bundles that name a key are checked.',
  ),
  publicLog: required('CAIRN_PUBLIC_LOG', flag, 'false').about(
    'Whether anybody may read the service log (/log/v1/checkpoint, tiles and key) without a token. It shows when something was stored, and nothing about what. Witnesses and monitors of others need it.',
  ),
  logKeyFile: optional('CAIRN_LOG_KEY_FILE', text).about(
    'Ed25519 key that signs the checkpoints of the log: a private JWK, or a PEM file. Nobody else may read it. Default: a key in the data folder, made at the first start. With MongoDB, without it, the log grows and no checkpoint is published.',
  ),
  logMlDsaKeyFile: optional('CAIRN_LOG_ML_DSA_KEY_FILE', text).about(
    'ML-DSA-44 key that signs the checkpoints as well, as a JWK or PEM file, for readers who do not rely on Ed25519 alone.',
  ),
  logWitnesses: optional('CAIRN_LOG_WITNESSES', text).about(
    'File with the witnesses whose cosignatures a checkpoint of the log needs, in the format of https://c2sp.org/tlog-policy: "witness <name> <vkey> <url>" lines, groups and a quorum. It is read at the start. Default: none, and checkpoints are published without witnesses.',
  ),
  logHeadFile: optional('CAIRN_LOG_HEAD_FILE', text).about(
    'File with the largest tree of the log that was signed. Keep it outside of the store and its backups: the service then signs no second history after an older backup was restored. It is made when it is missing.',
  ),
  logLevel: required(
    'CAIRN_LOG_LEVEL',
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
  ).about('Lowest level that is logged. The log goes to stderr.'),
  logFormat: optional('CAIRN_LOG_FORMAT', choice('json', 'text')).about(
    'Form of the log. json: one JSON object per line. text: lines for people. Default: text if stderr is a terminal, json otherwise.',
  ),
  debugErrors: required('CAIRN_DEBUG_ERRORS', flag, 'false').about(
    'Adds the internal call stack to error answers.',
  ),
  redisUrl: optionalSecret('CAIRN_REDIS_URL', redisUrl).about(
    'Redis that wakes job workers and shares rate limits: redis:// or rediss://. Required with MongoDB, unless CAIRN_JOBS=in-process.',
  ),
  redisPrefix: required('CAIRN_REDIS_PREFIX', keyPrefix, 'cairn').about(
    'Prefix of all keys in Redis. Services that share a Redis need different prefixes.',
  ),
  jobs: optional('CAIRN_JOBS', choice('bullmq', 'in-process')).about(
    'Queue that wakes job workers. bullmq works for any number of processes, in-process for one. Default: bullmq if CAIRN_REDIS_URL is set, otherwise in-process.',
  ),
  jobConcurrency: required('CAIRN_JOB_CONCURRENCY', integer(1, 64), '4').about(
    'Number of jobs, such as asynchronous exports, that a process runs at once.',
  ),
  startWait: required('CAIRN_START_WAIT', wait, '30s').about(
    'How long the service waits for its servers at start before it gives up.',
  ),
  shutdownDelay: optional('CAIRN_SHUTDOWN_DELAY', wait).about(
    'How long the service goes on listening after SIGTERM while /ready answers 503, so that load balancers stop sending requests. Default: not at all.',
  ),
  shutdownTimeout: required('CAIRN_SHUTDOWN_TIMEOUT', wait, '30s').about(
    'How long running requests and jobs may take to end after that. The last 3 seconds are for closing. Another process takes over unfinished jobs.',
  ),
};

/** Settings of authentication and rate limits. `control-plane.ts` has those of the control plane. */
export const accessSettingTable = {
  authMode: optional('CAIRN_AUTH_MODE', choice('disabled', 'oidc', 'auth_service')).about(
    'Who may call the integrity service. disabled: every program on this machine may do everything. oidc: callers with an access token of an OpenID provider. auth_service: callers whom an auth service accepts. Default: disabled, on loopback addresses only.',
  ),
  oidcIssuerUrl: optional('CAIRN_OIDC_ISSUER_URL', issuerUrl).about(
    'Issuer of access tokens, exactly as in their iss claim. Its metadata is read from <issuer>/.well-known/openid-configuration. Must be https, except on this machine.',
  ),
  oidcAudience: optional('CAIRN_OIDC_AUDIENCE', text).about('Audience (aud) that access tokens must have.'),
  authServiceBaseUrl: optional('CAIRN_AUTH_SERVICE_BASE_URL', authServiceUrl).about(
    'Base URL of the auth service. /api/v1/auth/validate and /api/v1/auth/authorize are called below it. Must be https, except on this machine or with CAIRN_ALLOW_HTTP_AUTH_SERVICE.',
  ),
  allowHttpAuthService: required('CAIRN_ALLOW_HTTP_AUTH_SERVICE', flag, 'false').about(
    'Allows auth services over plain http, in both services. Everybody on the network in between can read the tokens and change the answers.',
  ),
  authServiceIssuer: optional('CAIRN_AUTH_SERVICE_ISSUER', text).about(
    'Issuer of callers whose auth-service answer has no iss, in both services. Set it to the sign-in issuer, so that people are the same users by browser and by token. Default: the base URL of the auth service at its first use. The store keeps it, and a service does not start with another one unless this setting names it.',
  ),
  claimNamespace: optional('CAIRN_CLAIM_NAMESPACE', claimNamespace).about(
    'Prefix of the claims that grant permissions: <namespace>/permissions, <namespace>/organizations, <namespace>/has_admin_access.',
  ),
  blobScope: required('CAIRN_BLOB_SCOPE', choice('any', 'project'), 'any').about(
    "What a caller may read by its CID. any: everything, with view_project_data on at least one project. project: only statements of the caller's projects, and blobs that those statements refer to. It hides content, not existence: see docs/access.md.",
  ),
  trustedProxies: optional('CAIRN_TRUSTED_PROXIES', addressList).about(
    'Addresses and networks of the proxies in front of the service, such as 10.0.0.0/8,::1. Their X-Forwarded-For entries are trusted.',
  ),
  loginRate: required('CAIRN_LOGIN_RATE', rate, '30/1m').about(
    'How many sign-ins an address may start in a period.',
  ),
  callbackRate: required('CAIRN_CALLBACK_RATE', rate, '30/1m').about(
    'How many sign-in callbacks an address may send in a period.',
  ),
  tokenFailureRate: required('CAIRN_TOKEN_FAILURE_RATE', rate, '60/1m').about(
    'How many different refused tokens an address may send in a period, and how often it may send one of them, before it is answered 429. A token that was accepted in the last 30 seconds stays accepted.',
  ),
  allowUnauthenticated: required('CAIRN_ALLOW_UNAUTHENTICATED', flag, 'false').about(
    'Allows serving without authentication on addresses that other machines can reach. Anyone who reaches such an address may do everything.',
  ),
};

/** Limits on the number, size and duration of requests. */
export const limitSettingTable = {
  maxRequests: required('CAIRN_MAX_REQUESTS', integer(1, 1_000_000), '1000').about(
    'How many requests each service of a process works on at once, three quarters of them for one caller. More are answered 503 at once. Health checks do not count.',
  ),
  maxJsonBytes: required('CAIRN_MAX_JSON_BYTES', bytes, '32MiB').about('Maximum size of a JSON body.'),
  maxBufferedBytes: required('CAIRN_MAX_BUFFERED_BYTES', bytes, '256MiB').about(
    'Maximum size of all JSON bodies and unsent answers in the memory of a process. Beyond it requests are answered 503.',
  ),
  maxCallerBufferedBytes: required('CAIRN_MAX_CALLER_BUFFERED_BYTES', bytes, '128MiB').about(
    'The same for the requests of one caller.',
  ),
  maxJsonDepth: required('CAIRN_MAX_JSON_DEPTH', integer(1, 256), '64').about(
    'Maximum nesting depth of a JSON body.',
  ),
  maxStatementBytes: required('CAIRN_MAX_STATEMENT_BYTES', bytes, '1MiB').about(
    'Maximum size of a statement.',
  ),
  maxBatchStatements: required('CAIRN_MAX_BATCH_STATEMENTS', integer(1, 1_000_000), '10000').about(
    'Maximum number of statements in a batch.',
  ),
  maxBlobBytes: required('CAIRN_MAX_BLOB_BYTES', bytes, '5GiB').about('Maximum size of a blob.'),
  maxBatchParts: required('CAIRN_MAX_BATCH_PARTS', integer(1, 1_000_000), '10000').about(
    'Maximum number of parts (multipart) or blocks (CAR) in a blob batch.',
  ),
  maxBatchBytes: required('CAIRN_MAX_BATCH_BYTES', bytes, '5GiB').about(
    'Maximum total size of a blob batch.',
  ),
  maxEvidenceBytes: required('CAIRN_MAX_EVIDENCE_BYTES', bytes, '64MiB').about(
    'Maximum size of a file of evidence, such as an SBOM. Beyond it the request is answered 413.',
  ),
  evidenceTime: required('CAIRN_EVIDENCE_TIME', wait, '2m').about(
    'How long the reading of one file of evidence may take before the request is answered 400 too_complex.',
  ),
  maxManifestBytes: required('CAIRN_MAX_MANIFEST_BYTES', bytes, '1GiB').about(
    'Maximum size of an imported manifest.',
  ),
  maxExports: required('CAIRN_MAX_EXPORTS', integer(1, 100_000), '1000').about(
    'Maximum number of unfinished asynchronous exports per caller.',
  ),
  maxExportBytes: required('CAIRN_MAX_EXPORT_BYTES', bytes, '10GiB').about(
    'Maximum size of all asynchronous exports that are kept for a caller. Each counts as at least 1 MiB.',
  ),
  limitWait: required('CAIRN_LIMIT_WAIT', wait, '10s').about(
    'How long a request waits for a concurrency limit before it is answered 503.',
  ),
  documentTime: required('CAIRN_DOCUMENT_TIME', wait, '5s').about(
    'How much CPU time one document may take before the request is answered 400 too_complex.',
  ),
  requestTime: required('CAIRN_REQUEST_TIME', wait, '30s').about(
    'How much CPU time of threads one request may take before it is answered 400 too_complex.',
  ),
};
