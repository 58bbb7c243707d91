import { bytes, integer, wait } from './kinds.ts';
import { required } from './setting.ts';

/** Limits on the number, size and duration of requests. */
export const limitSettingTable = {
  maxRequests: required(
    'CAIRN_MAX_REQUESTS',
    integer(1, 1_000_000),
    '1000',
    'How many requests each service of a process works on at once, three quarters of them for one caller. More are answered 503 at once. Health checks do not count.',
  ),
  maxJsonBytes: required('CAIRN_MAX_JSON_BYTES', bytes, '32MiB', 'Maximum size of a JSON body.'),
  maxBufferedBytes: required(
    'CAIRN_MAX_BUFFERED_BYTES',
    bytes,
    '256MiB',
    'Maximum size of all JSON bodies and unsent answers in the memory of a process. Beyond it requests are answered 503.',
  ),
  maxCallerBufferedBytes: required(
    'CAIRN_MAX_CALLER_BUFFERED_BYTES',
    bytes,
    '128MiB',
    'The same for the requests of one caller.',
  ),
  maxJsonDepth: required(
    'CAIRN_MAX_JSON_DEPTH',
    integer(1, 256),
    '64',
    'Maximum nesting depth of a JSON body.',
  ),
  maxStatementBytes: required('CAIRN_MAX_STATEMENT_BYTES', bytes, '1MiB', 'Maximum size of a statement.'),
  maxBatchStatements: required(
    'CAIRN_MAX_BATCH_STATEMENTS',
    integer(1, 1_000_000),
    '10000',
    'Maximum number of statements in a batch.',
  ),
  maxBlobBytes: required('CAIRN_MAX_BLOB_BYTES', bytes, '5GiB', 'Maximum size of a blob.'),
  maxBatchParts: required(
    'CAIRN_MAX_BATCH_PARTS',
    integer(1, 1_000_000),
    '10000',
    'Maximum number of parts (multipart) or blocks (CAR) in a blob batch.',
  ),
  maxBatchBytes: required('CAIRN_MAX_BATCH_BYTES', bytes, '5GiB', 'Maximum total size of a blob batch.'),
  maxManifestBytes: required(
    'CAIRN_MAX_MANIFEST_BYTES',
    bytes,
    '1GiB',
    'Maximum size of an imported manifest.',
  ),
  maxExports: required(
    'CAIRN_MAX_EXPORTS',
    integer(1, 100_000),
    '1000',
    'Maximum number of unfinished asynchronous exports per caller.',
  ),
  maxExportBytes: required(
    'CAIRN_MAX_EXPORT_BYTES',
    bytes,
    '10GiB',
    'Maximum size of all asynchronous exports that are kept for a caller. Each counts as at least 1 MiB.',
  ),
  limitWait: required(
    'CAIRN_LIMIT_WAIT',
    wait,
    '10s',
    'How long a request waits for a concurrency limit before it is answered 503.',
  ),
  documentTime: required(
    'CAIRN_DOCUMENT_TIME',
    wait,
    '5s',
    'How much CPU time one document may take before the request is answered 400 too_complex.',
  ),
  requestTime: required(
    'CAIRN_REQUEST_TIME',
    wait,
    '30s',
    'How much CPU time of threads one request may take before it is answered 400 too_complex.',
  ),
};
