import type { JsonLimits } from '../json-request.ts';

/** What bounds requests; each number is a setting. */
export interface RequestLimits extends JsonLimits {
  readonly maxStatementBytes: number;
  readonly maxBatchStatements: number;
  readonly maxBlobBytes: number;
  readonly maxBatchParts: number;
  readonly maxBatchBytes: number;
}
