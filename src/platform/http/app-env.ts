import type { Principal } from '../../domain/access/access.ts';
import type { AuditTrail } from '../audit-trail/audit-trail.ts';
import type { AuditEntry } from '../audit-trail/entry.ts';
import type { Log } from '../log.ts';

/** What a request carries along. Who is calling is a `Principal` of the integrity service unless said otherwise. */
export interface AppEnv<Caller = Principal> {
  Variables: {
    /** Finds out who is calling, when that matters. @throws ServiceError `unauthorized`, `unavailable`. */
    caller: () => Promise<Caller>;
    requestId: string;
    log: Log;
    auditTrail: AuditTrail<Caller>;
    /** Of a request that is recorded. */
    auditEntry?: AuditEntry;
  };
}
