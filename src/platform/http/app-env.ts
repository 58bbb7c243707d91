import type { CallerName, Principal } from '../../domain/access/access.ts';
import type { AuditTrail } from '../audit-trail/audit-trail.ts';
import type { AuditEntry } from '../audit-trail/entry.ts';
import type { Log } from '../log.ts';
import type { ByteAccount, ByteBudget, RequestLimit } from './callers.ts';

export interface AppEnv<Caller = Principal> {
  Variables: {
    /** Authenticates the caller on demand. @throws ServiceError `unauthorized`, `unavailable`. */
    caller: () => Promise<Caller>;
    /** Who called, for the log and the metrics: null until they are known, absent if nobody asks. */
    principal?: CallerName | null;
    /** The user who looks at a page. Absent if nobody is signed in. */
    person?: { readonly name: string; readonly isAdministrator: boolean };
    requestId: string;
    log: Log;
    auditTrail: AuditTrail<Caller>;
    requestLimit: RequestLimit;
    budget: ByteBudget;
    /** The bytes that the request holds in memory until it is handled. */
    account: ByteAccount;
    auditEntry?: AuditEntry;
    /** Whether the request is logged at `debug` only, because it is sent every few seconds. */
    isProbe?: true;
  };
}
