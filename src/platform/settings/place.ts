import { choice, databaseName, flag, integer, keyPrefix, mongodbUrl, redisUrl, text, wait } from './kinds.ts';
import { optional, required } from './setting.ts';

/** Where the service is, where its data are, and what it says of itself. */
export const placeSettingTable = {
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
    about: 'Port to listen on. 0 picks a free port.',
  }),
  dataDir: required({
    variable: 'CAIRN_DATA_DIR',
    flag: 'data-dir',
    kind: text,
    default: './data',
    about:
      'Folder of the embedded store. One process at a time may use it. With MongoDB it holds only temporary files, and several processes may share it.',
  }),
  mongodbUrl: optional({
    variable: 'CAIRN_MONGODB_URL',
    kind: mongodbUrl,
    isSecret: true,
    about:
      'Connection string of the MongoDB that holds all data. Any number of processes may share it. Without it the embedded store is used.',
  }),
  mongodbDatabase: required({
    variable: 'CAIRN_MONGODB_DATABASE',
    kind: databaseName,
    default: 'cairn',
    about: 'Name of the MongoDB database.',
  }),
  contextsDir: optional({
    variable: 'CAIRN_CONTEXTS_DIR',
    flag: 'contexts-dir',
    kind: text,
    about:
      'Folder of trusted context documents: cid/<cid> for urn:cid:<cid>, https/<host>/<path> for a URL. A document is read when it is first used.',
  }),
  workers: optional({
    variable: 'CAIRN_WORKERS',
    kind: integer(1, 256),
    about:
      'Number of threads that identify statements. Default: the number of CPUs that the process may use.',
  }),
  signingKeyFile: optional({
    variable: 'CAIRN_SIGNING_KEY_FILE',
    kind: text,
    about:
      'Keys of the service, for signing and for registeredBy: a private JWK (Ed25519 or P-256), or a JWK Set whose first key is active and whose other keys are former ones. Default: a key in the data folder, made at the first start. Required with MongoDB, where all processes need the same key.',
  }),
  logLevel: required({
    variable: 'CAIRN_LOG_LEVEL',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    about: 'Lowest level that is logged. The log goes to stderr, one JSON object per line.',
  }),
  debugErrors: required({
    variable: 'CAIRN_DEBUG_ERRORS',
    kind: flag,
    default: 'false',
    about: 'Adds the internal call stack to error answers.',
  }),
  redisUrl: optional({
    variable: 'CAIRN_REDIS_URL',
    kind: redisUrl,
    isSecret: true,
    about:
      'Redis that wakes job workers and shares rate limits: redis:// or rediss://. Required with MongoDB, unless CAIRN_JOBS=in-process.',
  }),
  redisPrefix: required({
    variable: 'CAIRN_REDIS_PREFIX',
    kind: keyPrefix,
    default: 'cairn',
    about: 'Prefix of all keys in Redis. Services that share a Redis need different prefixes.',
  }),
  jobs: optional({
    variable: 'CAIRN_JOBS',
    kind: choice('bullmq', 'in-process'),
    about:
      'Queue that wakes job workers. bullmq works for any number of processes, in-process for one. Default: bullmq if CAIRN_REDIS_URL is set, otherwise in-process.',
  }),
  jobConcurrency: required({
    variable: 'CAIRN_JOB_CONCURRENCY',
    kind: integer(1, 64),
    default: '2',
    about: 'Number of jobs, such as asynchronous exports, that a process runs at once.',
  }),
  startWait: required({
    variable: 'CAIRN_START_WAIT',
    kind: wait,
    default: '30s',
    about: 'How long the service waits for its servers at start before it gives up.',
  }),
};
