import type { JsonLimits } from '../parsed-request.ts';

/** Limits of requests. Each is a setting. */
export interface RequestLimits extends JsonLimits {
  readonly maxStatementBytes: number;
  readonly maxBatchStatements: number;
  readonly maxBlobBytes: number;
  readonly maxBatchParts: number;
  readonly maxBatchBytes: number;
}
