import type { Context } from 'hono';
import type { AuditActor, AuditDetails, AuditRecord } from '../../domain/audit-log/audit-log.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { errorStatus } from '../http/error-status.ts';

/** What a handler adds to the record of its request. Never a token, a body or a secret. */
export interface AuditNote {
  readonly actor?: AuditActor;
  readonly target?: string;
  readonly details?: AuditDetails;
  /** For a refusal that is not answered with an error. */
  readonly refusal?: ErrorCode;
}

export interface AuditEntry {
  record: AuditRecord;
  refusal?: ErrorCode;
  /** Whether the store has the record, with the outcome `begun`. */
  isStored: boolean;
}

/** Adds fields to the record of a request, if the request is recorded. */
export function note(context: Context, { refusal, ...fields }: AuditNote): void {
  const entry: AuditEntry | undefined = context.get('auditEntry');
  if (!entry) return;
  if (refusal) entry.refusal = refusal;
  entry.record = { ...entry.record, ...fields };
}

/** The final record of a request that was answered with `status` or failed with an error. */
export function endedRecord(
  { record, refusal }: AuditEntry,
  status: number,
  thrown?: ErrorCode,
): AuditRecord {
  const code = thrown ?? refusal ?? null;
  const effective = code === null ? status : errorStatus[code];
  const outcome = effective < 400 ? 'done' : effective < 500 ? 'refused' : 'failed';
  return { ...record, outcome, code };
}
