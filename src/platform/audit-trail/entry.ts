import type { Context } from 'hono';
import type {
  AuditActor,
  AuditDetails,
  AuditOutcome,
  AuditRecord,
} from '../../domain/audit-log/audit-log.ts';
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

/** The record of a running request. */
export class AuditEntry {
  /** Whether the store has the record, with the outcome `begun`. */
  isStored = false;
  #record: AuditRecord;
  #refusal: ErrorCode | undefined;

  constructor(record: AuditRecord) {
    this.#record = record;
  }

  get record(): AuditRecord {
    return this.#record;
  }

  add({ refusal, ...fields }: AuditNote): void {
    this.#refusal = refusal ?? this.#refusal;
    this.#record = { ...this.#record, ...fields };
  }

  /** The final record of a request that was answered with `status`. */
  ended(status: number, thrown?: ErrorCode): AuditRecord {
    const code = thrown ?? this.#refusal ?? null;
    return { ...this.#record, outcome: outcomeOf(code === null ? status : errorStatus[code]), code };
  }
}

function outcomeOf(status: number): AuditOutcome {
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

/** Adds fields to the record of a request, if the request is recorded. */
export function note(context: Context, what: AuditNote): void {
  const entry: AuditEntry | undefined = context.get('auditEntry');
  entry?.add(what);
}
