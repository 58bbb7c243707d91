import type { Context } from 'hono';
import type {
  AuditActor,
  AuditDetails,
  AuditOutcome,
  AuditRecord,
} from '../../domain/audit-log/audit-log.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { errorStatus } from '../http/error-status.ts';

/** What a handler knows of its request, and the path does not tell. Never a token, a body or a secret. */
export interface AuditNote {
  readonly actor?: AuditActor;
  readonly target?: string;
  readonly details?: AuditDetails;
  /** For a refusal that is answered otherwise than by an error. */
  readonly refusal?: ErrorCode;
}

/** The record of a request while it goes on. */
export class AuditEntry {
  /** Whether the store has it, as begun. */
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

  /** The record of a request that was answered with a status. */
  ended(status: number, thrown?: ErrorCode): AuditRecord {
    const code = thrown ?? this.#refusal ?? null;
    return { ...this.#record, outcome: outcomeOf(code === null ? status : errorStatus[code]), code };
  }
}

function outcomeOf(status: number): AuditOutcome {
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

/** Adds to the record of a request what its handler knows. Without a record nothing happens. */
export function note(context: Context, what: AuditNote): void {
  const entry: AuditEntry | undefined = context.get('auditEntry');
  entry?.add(what);
}
