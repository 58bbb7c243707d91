import type { ErrorCode } from '../errors.ts';

/** Who did something: issuer and subject together name them. */
export interface AuditActor {
  readonly issuer: string;
  /** null while authentication is disabled. */
  readonly subject: string | null;
  /** How they have proved it. */
  readonly means: string;
}

/**
 * `begun`: it is being done, or the process ended in the middle, and nobody knows. `refused`: the service did not do
 * it, and says why. `failed`: it could not be done whole.
 */
export type AuditOutcome = 'begun' | 'done' | 'refused' | 'failed';

/** That somebody did something, or tried to. It never holds a token, a body or a secret. */
export interface AuditRecord {
  /** A UUID. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** null for whoever was not known. */
  readonly actor: AuditActor | null;
  /** The name of the operation, such as `PATCH /v1/users/{id}`. */
  readonly action: string;
  /** What it was done to: an id, as far as one is known. */
  readonly target: string | null;
  readonly outcome: AuditOutcome;
  /** Why it was refused, or failed. */
  readonly code: ErrorCode | null;
  readonly requestId: string;
  readonly address: string | null;
  /** What was changed, in the operation's own words. */
  readonly details: AuditDetails | null;
}

export type AuditDetails = Readonly<Record<string, string | number | boolean | null>>;

/** null: whatever it is. */
export interface AuditFilter {
  /** The subject of the actor. */
  readonly actor: string | null;
  readonly action: string | null;
  readonly target: string | null;
  /** Milliseconds since 1970; `from` includes its moment, `until` does not. */
  readonly from: number | null;
  readonly until: number | null;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** Pass as `after` for the next page, which may be short, even empty; absent on the last. */
  readonly next?: string;
}

export interface AuditLogStore {
  /** Stores records, each in place of what had its id; durable when it resolves. To be repeated without harm. */
  put(records: readonly AuditRecord[]): Promise<void>;

  /**
   * The last one first. Those that were there at the first page are each on exactly one.
   * @throws ServiceError `invalid_request` for a cursor that it never gave to this filter.
   */
  list(filter: AuditFilter, page: { after: string | null; limit: number }): Promise<AuditPage>;
}
