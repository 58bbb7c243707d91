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
  jobConcurrency: required({
    variable: 'CAIRN_JOB_CONCURRENCY',
    kind: integer(1, 64),
    default: '2',
    about: 'Jobs, such as asynchronous exports, that a process works on at once.',
  }),
  startWait: required({
    variable: 'CAIRN_START_WAIT',
    kind: wait,
    default: '30s',
    about: 'How long the start waits for its servers before it gives up.',
  }),
};
