import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.ts';

export const errorStatus = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_statement: 400,
  invalid_credential: 400,
  invalid_evidence: 400,
  invalid_proof: 400,
  invalid_cid: 400,
  cid_mismatch: 400,
  missing_id: 400,
  id_mismatch: 400,
  unknown_graph: 400,
  unknown_context: 400,
  not_covered: 400,
  too_complex: 400,
  too_deep: 400,
  truncated_upload: 400,
  unauthorized: 401,
  forbidden: 403,
  agent_revoked: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  too_slow: 408,
  conflict: 409,
  not_logged: 409,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  unexpected_content: 422,
  rate_limited: 429,
  internal: 500,
  damaged: 500,
  unavailable: 503,
  storage_full: 507,
} as const satisfies Record<ErrorCode, number>;

/** The body of every error. */
export const errorBody = z
  .object({
    error: z.string().describe('A sentence: what is wrong and what to do'),
    code: z.enum(Object.keys(errorStatus) as [keyof typeof errorStatus]),
    request_id: z.string(),
    details: z
      .array(
        z.object({
          index: z.int().optional().describe('Position in the batch'),
          code: z.string().optional(),
          parameter: z.string().optional().describe('An unknown query parameter'),
          pointer: z.string().optional().describe('RFC 6901 pointer into the statement or body'),
          reason: z.string(),
        }),
      )
      .optional(),
    callstack: z.object({ internal: z.string() }).optional(),
  })
  .meta({ id: 'Error' });
