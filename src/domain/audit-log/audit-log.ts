import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import { filteredPage } from '../collections/filtered-page.ts';
import type { Page } from '../collections/records.ts';
import type { ErrorCode } from '../errors.ts';

const text = z.string().min(1);

/** That somebody did something, or tried to. A record never holds a token, a body or a secret. */
export const auditRecords = collection('audit_log', {
  shape: z.object({
    id: z.uuid(),
    at: z.int(),
    /**
     * Who did it, null for an unknown caller. Issuer and subject together name an actor; the subject is null while
     * authentication is disabled. `means` is how they have proved it.
     */
    actor: z.object({ issuer: z.string(), subject: z.string().nullable(), means: z.string() }).nullable(),
    /** The name of the operation, such as `PATCH /v1/users/{id}`. */
    action: text,
    /** What it was done to: an id, as far as one is known. */
    target: z.string().nullable(),
    /**
     * `begun`: it is being done, or the process ended in the middle, and nobody knows. `refused`: the service did not
     * do it, and says why. `failed`: it could not be done whole.
     */
    outcome: z.enum(['begun', 'done', 'refused', 'failed']),
    /** Why it was refused, or failed. */
    code: z.custom<ErrorCode>((code) => text.safeParse(code).success).nullable(),
    requestId: z.string(),
    address: z.string().nullable(),
    /** What was changed, in the operation's own words. */
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
  }),
  key: 'id',
  indexes: {
    byTime: ['at'],
    byActor: ['actor.subject', 'at'],
    byAction: ['action', 'at'],
    byTarget: ['target', 'at'],
  },
  order: 'descending',
});

export type AuditRecord = Readonly<z.output<typeof auditRecords.shape>>;
export type AuditLog = RecordsOf<typeof auditRecords>;
export type AuditActor = Readonly<NonNullable<AuditRecord['actor']>>;
export type AuditOutcome = AuditRecord['outcome'];
export type AuditDetails = Readonly<NonNullable<AuditRecord['details']>>;

/** null stands for any value. */
export interface AuditFilter {
  /** The subject of the actor. */
  readonly actor: string | null;
  readonly action: string | null;
  readonly target: string | null;
  /** Milliseconds since 1970; `from` includes its moment, `until` does not. */
  readonly from: number | null;
  readonly until: number | null;
}

/** Stores records, each in place of what had its id. Harmless to repeat. */
export async function putAuditRecords(
  log: Pick<AuditLog, 'insert' | 'update'>,
  records: readonly AuditRecord[],
): Promise<void> {
  const isNew = await log.insert(records);
  for (const [at, record] of records.entries()) if (!isNew[at]) await log.update(record.id, {}, rest(record));
}

function rest({ id: _id, ...others }: AuditRecord): Partial<AuditRecord> {
  return others;
}

/** Audit records, the last one first. @throws ServiceError `invalid_request` for a cursor of another filter. */
export async function listAuditRecords(
  log: Pick<AuditLog, 'page'>,
  { actor, action, target, from, until }: AuditFilter,
  request: { readonly after: string | null; readonly limit: number },
): Promise<Page<AuditRecord>> {
  const wanted = { target, 'actor.subject': actor, action };
  const leading = { target: 'byTarget', 'actor.subject': 'byActor', action: 'byAction' } as const;
  const range = { from, until };
  return await filteredPage(log, { leading, otherwise: 'byTime' }, wanted, { ...request, range });
}
