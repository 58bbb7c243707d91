/** All error codes. `contract/errors.ts` maps them to HTTP statuses. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_json'
  | 'invalid_statement'
  | 'invalid_credential'
  | 'invalid_evidence'
  | 'invalid_proof'
  | 'invalid_cid'
  | 'cid_mismatch'
  | 'missing_id'
  | 'id_mismatch'
  | 'unknown_graph'
  | 'unknown_context'
  | 'not_covered'
  | 'too_complex'
  | 'too_deep'
  | 'truncated_upload'
  | 'unauthorized'
  | 'forbidden'
  | 'agent_revoked'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'not_logged'
  | 'too_large'
  | 'too_slow'
  | 'unsupported_media_type'
  | 'not_acceptable'
  | 'range_not_satisfiable'
  | 'unexpected_content'
  | 'rate_limited'
  | 'unavailable'
  | 'storage_full'
  | 'damaged'
  | 'internal';

/** One problem inside a larger input. */
export interface ErrorDetail {
  readonly code?: ErrorCode;
  /** RFC 6901 JSON pointer into the request body, if the problem is inside JSON. */
  readonly pointer?: string;
  /** Zero-based position in a batch. */
  readonly index?: number;
  readonly reason: string;
}

interface ErrorExtras {
  readonly details?: readonly ErrorDetail[];
  /** How many details are listed. Default: 100. */
  readonly mostDetails?: number;
  /** Whole seconds after which the same request may succeed. */
  readonly retryAfter?: number;
  /** Response headers, such as `Content-Range` of a 416. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** Callers choose what is wrong with their input. An error about it stays short. */
const detailsListed = 100;
const textLimit = 2_000;

/** The only error that leaves the domain and the adapters. Its message is a sentence for the caller. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(cut(message), extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = extras.details?.slice(0, extras.mostDetails ?? detailsListed).map(cutDetail);
    this.retryAfter = extras.retryAfter;
    this.headers = extras.headers;
  }
}

function cutDetail(detail: ErrorDetail): ErrorDetail {
  const { pointer, reason } = detail;
  return { ...detail, ...(pointer !== undefined && { pointer: cut(pointer) }), reason: cut(reason) };
}

function cut(text: string): string {
  return text.length > textLimit ? `${text.slice(0, textLimit)}…` : text;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
