import { bytes, integer, wait } from './kinds.ts';
import { required } from './setting.ts';

/** How much a request may be, and how long it may take. */
export const limitSettingTable = {
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
  maxExports: required({
    variable: 'CAIRN_MAX_EXPORTS',
    kind: integer(1, 100_000),
    default: '1000',
    about: 'Most asynchronous exports of one caller that are not finished.',
  }),
  limitWait: required({
    variable: 'CAIRN_LIMIT_WAIT',
    kind: wait,
    default: '10s',
    about: 'How long a request waits for its turn under the concurrency limits before it is answered 503.',
  }),
  documentTime: required({
    variable: 'CAIRN_DOCUMENT_TIME',
    kind: wait,
    default: '5s',
    about: 'Time for the canonicalization of one document before it is answered 400 too_complex.',
  }),
  requestTime: required({
    variable: 'CAIRN_REQUEST_TIME',
    kind: wait,
    default: '30s',
    about: 'Time that threads may spend on one request before it is answered 400 too_complex.',
  }),
};
