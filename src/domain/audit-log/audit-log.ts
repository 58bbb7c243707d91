import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { filteredPage } from '../collections/filtered-page.ts';
import type { Page, PageRequest } from '../collections/records.ts';
import type { ErrorCode } from '../errors.ts';
import { isLogged } from '../log/appending/logged-kind.ts';

const text = z.string().min(1);

/** An operation that somebody did or tried to do. It never contains a token, a body or a secret. */
export const auditRecords = collection('audit_log', {
  shape: z.object({
    id: z.uuid(),
    at: z.int(),
    /**
     * Null for an unknown caller. Issuer and subject together identify an actor. The subject is null while
     * authentication is disabled. `means` is how the actor was authenticated.
     */
    actor: z.object({ issuer: z.string(), subject: z.string().nullable(), means: z.string() }).nullable(),
    /** The name of the operation, such as `PATCH /v1/users/{id}`. */
    action: text,
    /** The id of the changed thing, if known. */
    target: z.string().nullable(),
    /**
     * `begun`: still running, or the process ended in the middle. `refused`: the service did not do it. `failed`: it
     * was not completed.
     */
    outcome: z.enum(['begun', 'done', 'refused', 'failed']),
    /** The error code of a refusal or failure. */
    code: z.custom<ErrorCode>((code) => text.safeParse(code).success).nullable(),
    requestId: z.string(),
    address: z.string().nullable(),
    /** The changes, as the operation names them. */
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
    isLogged,
  }),
  key: 'id',
  indexes: {
    byTime: ['at'],
    byActor: ['actor.subject', 'at'],
    byAction: ['action', 'at'],
    byTarget: ['target', 'at'],
    unlogged: ['at'],
  },
  partial: { unlogged: { isLogged: false } },
  order: 'descending',
});

export type AuditRecord = Readonly<z.output<typeof auditRecords.shape>>;
export type AuditLog = RecordsOf<typeof auditRecords>;
export type AuditActor = Readonly<NonNullable<AuditRecord['actor']>>;
export type AuditDetails = Readonly<NonNullable<AuditRecord['details']>>;

/** Null matches any value. */
export interface AuditFilter {
  /** The subject of the actor. */
  readonly actor: string | null;
  readonly action: string | null;
  readonly target: string | null;
  /** Milliseconds since 1970: from `from`, before `until`. */
  readonly from: number | null;
  readonly until: number | null;
}

/** Stores records, and replaces those with the same id. Idempotent. */
export async function putAuditRecords(
  log: Pick<AuditLog, 'insert' | 'update'>,
  records: readonly AuditRecord[],
): Promise<void> {
  const isNew = await log.insert(records);
  for (const [at, { id, ...rest }] of records.entries()) if (!isNew[at]) await log.update(id, {}, rest);
}

/** Audit records, latest first. @throws ServiceError `invalid_request` for a cursor of another filter. */
export async function listAuditRecords(
  log: Pick<AuditLog, 'page'>,
  { actor, action, target, from, until }: AuditFilter,
  request: PageRequest,
): Promise<Page<AuditRecord>> {
  const wanted = { target, 'actor.subject': actor, action };
  const leading = { target: 'byTarget', 'actor.subject': 'byActor', action: 'byAction' } as const;
  const range = { from, until };
  return await filteredPage(log, { leading, otherwise: 'byTime' }, wanted, { ...request, range });
}

/**
 * When an operation is written to the audit log. `before`: its start before any change, and its outcome before the
 * answer. `after`: its outcome before the answer. `queued`: its outcome soon after the answer.
 */
export type Recording = 'none' | 'before' | 'after' | 'queued';
