import { bytes, integer, wait } from './kinds.ts';
import { required } from './setting.ts';

/** How much a request may be, and how long it may take. */
export const limitSettingTable = {
  maxJsonBytes: required({
    variable: 'CAIRN_MAX_JSON_BYTES',
    kind: bytes,
    default: '32MiB',
    about: 'Maximum size of a JSON body.',
  }),
  maxJsonDepth: required({
    variable: 'CAIRN_MAX_JSON_DEPTH',
    kind: integer(1, 256),
    default: '64',
    about: 'Maximum nesting depth of a JSON body.',
  }),
  maxStatementBytes: required({
    variable: 'CAIRN_MAX_STATEMENT_BYTES',
    kind: bytes,
    default: '1MiB',
    about: 'Maximum size of a statement.',
  }),
  maxBatchStatements: required({
    variable: 'CAIRN_MAX_BATCH_STATEMENTS',
    kind: integer(1, 1_000_000),
    default: '10000',
    about: 'Maximum number of statements in a batch.',
  }),
  maxBlobBytes: required({
    variable: 'CAIRN_MAX_BLOB_BYTES',
    kind: bytes,
    default: '5GiB',
    about: 'Maximum size of a blob.',
  }),
  maxBatchParts: required({
    variable: 'CAIRN_MAX_BATCH_PARTS',
    kind: integer(1, 1_000_000),
    default: '10000',
    about: 'Maximum number of parts (multipart) or blocks (CAR) in a blob batch.',
  }),
  maxBatchBytes: required({
    variable: 'CAIRN_MAX_BATCH_BYTES',
    kind: bytes,
    default: '5GiB',
    about: 'Maximum total size of a blob batch.',
  }),
  maxManifestBytes: required({
    variable: 'CAIRN_MAX_MANIFEST_BYTES',
    kind: bytes,
    default: '1GiB',
    about: 'Maximum size of an imported manifest.',
  }),
  maxExports: required({
    variable: 'CAIRN_MAX_EXPORTS',
    kind: integer(1, 100_000),
    default: '1000',
    about: 'Maximum number of unfinished asynchronous exports per caller.',
  }),
  limitWait: required({
    variable: 'CAIRN_LIMIT_WAIT',
    kind: wait,
    default: '10s',
    about: 'How long a request waits for a concurrency limit before it is answered 503.',
  }),
  documentTime: required({
    variable: 'CAIRN_DOCUMENT_TIME',
    kind: wait,
    default: '5s',
    about:
      'How long the canonicalization of one document may take before the request is answered 400 too_complex.',
  }),
  requestTime: required({
    variable: 'CAIRN_REQUEST_TIME',
    kind: wait,
    default: '30s',
    about: 'How much thread time one request may take before it is answered 400 too_complex.',
  }),
};
