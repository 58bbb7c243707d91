import {
  choice,
  databaseName,
  flag,
  integer,
  keyPrefix,
  mongodbUrl,
  publicUrl,
  redisUrl,
  text,
  wait,
} from './kinds.ts';
import { optional, optionalSecret, required } from './setting.ts';

/** Addresses, stores, queue and log. */
export const placeSettingTable = {
  host: required(
    { variable: 'CAIRN_HOST', flag: 'host' },
    text,
    '127.0.0.1',
    'Address to listen on. Without authentication it must be a loopback address.',
  ),
  port: required(
    { variable: 'CAIRN_PORT', flag: 'port' },
    integer(0, 65_535),
    '3050',
    'Port to listen on. 0 picks a free port.',
  ),
  metricsPort: optional(
    'CAIRN_METRICS_PORT',
    integer(0, 65_535),
    'Port of GET /metrics for Prometheus, on the address CAIRN_HOST. It has no authentication. 0 picks a free port. Default: no metrics.',
  ),
  publicUrl: optional(
    'CAIRN_PUBLIC_URL',
    publicUrl,
    'Address at which others reach the service. Ids of credentials and status lists start with it. If it is https and has a host name, the service is a did:web of that name. Required with CAIRN_MONGODB_URL, and if other machines can reach CAIRN_HOST. Default: the address to listen on.',
  ),
  publicStatusLists: required(
    'CAIRN_PUBLIC_STATUS_LISTS',
    flag,
    'false',
    'Whether anybody may read signed status lists without a token.',
  ),
  maxConnections: optional(
    'CAIRN_MAX_CONNECTIONS',
    integer(1, 1_000_000),
    'How many connections a process accepts at once. More are closed. Default: half of the file descriptors that the process may open, at most 10000.',
  ),
  dataDir: required(
    { variable: 'CAIRN_DATA_DIR', flag: 'data-dir' },
    text,
    './data',
    'Folder of the embedded store. One process at a time may use it. With MongoDB it holds only temporary files, and several processes may share it.',
  ),
  mongodbUrl: optionalSecret(
    'CAIRN_MONGODB_URL',
    mongodbUrl,
    'Connection string of the MongoDB that holds all data. Any number of processes may share it. Without it the embedded store is used.',
  ),
  mongodbDatabase: required('CAIRN_MONGODB_DATABASE', databaseName, 'cairn', 'Name of the MongoDB database.'),
  contextsDir: optional(
    { variable: 'CAIRN_CONTEXTS_DIR', flag: 'contexts-dir' },
    text,
    'Folder of trusted context documents: cid/<cid> for urn:cid:<cid>, https/<host>/<path> for a URL. A document is read when it is first used.',
  ),
  workers: optional(
    'CAIRN_WORKERS',
    integer(1, 256),
    'Number of threads that identify statements. Default: the number of CPUs that the process may use.',
  ),
  signingKeyFile: optional(
    'CAIRN_SIGNING_KEY_FILE',
    text,
    'Keys of the service, for signing and for registeredBy: a private JWK (Ed25519 or P-256), or a JWK Set whose first key is active and whose other keys are former ones. Default: a key in the data folder, made at the first start. Required with MongoDB, where all processes need the same key.',
  ),
  dsseKeysFile: optional(
    'CAIRN_DSSE_KEYS_FILE',
    text,
    'Keys that sign DSSE envelopes: a JWK Set whose keys have a kid, which signatures name as keyid. Keys that are a did:key need no entry.',
  ),
  sigstoreTrustedRoot: optional(
    'CAIRN_SIGSTORE_TRUSTED_ROOT',
    text,
    'File with the authorities and logs that Sigstore bundles are checked against (trusted_root.json). Without it no bundle is checked.',
  ),
  logLevel: required(
    'CAIRN_LOG_LEVEL',
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'Lowest level that is logged. The log goes to stderr, one JSON object per line.',
  ),
  debugErrors: required(
    'CAIRN_DEBUG_ERRORS',
    flag,
    'false',
    'Adds the internal call stack to error answers.',
  ),
  redisUrl: optionalSecret(
    'CAIRN_REDIS_URL',
    redisUrl,
    'Redis that wakes job workers and shares rate limits: redis:// or rediss://. Required with MongoDB, unless CAIRN_JOBS=in-process.',
  ),
  redisPrefix: required(
    'CAIRN_REDIS_PREFIX',
    keyPrefix,
    'cairn',
    'Prefix of all keys in Redis. Services that share a Redis need different prefixes.',
  ),
  jobs: optional(
    'CAIRN_JOBS',
    choice('bullmq', 'in-process'),
    'Queue that wakes job workers. bullmq works for any number of processes, in-process for one. Default: bullmq if CAIRN_REDIS_URL is set, otherwise in-process.',
  ),
  jobConcurrency: required(
    'CAIRN_JOB_CONCURRENCY',
    integer(1, 64),
    '4',
    'Number of jobs, such as asynchronous exports, that a process runs at once.',
  ),
  startWait: required(
    'CAIRN_START_WAIT',
    wait,
    '30s',
    'How long the service waits for its servers at start before it gives up.',
  ),
  shutdownDelay: optional(
    'CAIRN_SHUTDOWN_DELAY',
    wait,
    'How long the service goes on listening after SIGTERM while /ready answers 503, so that load balancers stop sending requests. Default: not at all.',
  ),
  shutdownTimeout: required(
    'CAIRN_SHUTDOWN_TIMEOUT',
    wait,
    '30s',
    'How long running requests and jobs may take to end after that. The last 3 seconds are for closing. Another process takes over unfinished jobs.',
  ),
};
