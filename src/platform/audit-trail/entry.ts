import type { Context } from 'hono';
import { errorStatus } from '../../contract/errors.ts';
import type { AuditActor, AuditDetails, AuditRecord } from '../../domain/audit-log/audit-log.ts';
import type { ErrorCode } from '../../domain/errors.ts';

/** One of several changes of a request. */
export interface AuditPart {
  readonly target: string;
  readonly details: AuditDetails;
}

/** What a handler adds to the record of its request. Never a token, a body or a secret. */
export interface AuditNote {
  readonly actor?: AuditActor;
  readonly target?: string;
  readonly details?: AuditDetails;
  /** For a refusal that is not answered with an error. */
  readonly refusal?: ErrorCode;
  /** Each of them gets a record of its own, with this target and these details. */
  readonly parts?: readonly AuditPart[];
}

export interface AuditEntry {
  record: AuditRecord;
  refusal?: ErrorCode;
  parts?: readonly AuditPart[];
  /** Whether the store has the record, with the outcome `begun`. */
  isStored: boolean;
}

/** Adds fields to the record of a request, if the request is recorded. */
export function note(context: Context, { refusal, parts, ...fields }: AuditNote): void {
  const entry: AuditEntry | undefined = context.get('auditEntry');
  if (!entry) return;
  if (refusal) entry.refusal = refusal;
  if (parts) entry.parts = parts;
  entry.record = { ...entry.record, ...fields };
}

/**
 * The final records of a request that was answered with `status` or failed with an error: one for each of its parts, or
 * one without parts. The first one replaces the stored record.
 */
export function endedRecords(
  { record, refusal, parts = [] }: AuditEntry,
  newId: () => string,
  status: number,
  thrown?: ErrorCode,
): readonly [AuditRecord, ...AuditRecord[]] {
  const code = thrown ?? refusal ?? null;
  const effective = code === null ? status : errorStatus[code];
  const outcome = effective < 400 ? 'done' : effective < 500 ? 'refused' : 'failed';
  const [first, ...others] = parts;
  const ended: AuditRecord = { ...record, outcome, code };
  return [{ ...ended, ...first }, ...others.map((part) => ({ ...ended, ...part, id: newId() }))];
}
