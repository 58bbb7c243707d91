import type { DatabaseSync } from 'node:sqlite';
import type { AuditRecord } from '../../../domain/audit-log/audit-log.ts';

/** Writes of audit records, for the thread that writes. */
export function auditLogWrites(database: DatabaseSync) {
  const put = database.prepare(
    `INSERT OR REPLACE INTO audit_log
       (at, id, issuer, subject, means, action, target, outcome, code, request_id, address, details)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  return {
    putAuditRecords({ records }: { records: readonly AuditRecord[] }): void {
      for (const { at, id, actor, action, target, outcome, code, requestId, address, details } of records) {
        const who = [actor?.issuer ?? null, actor?.subject ?? null, actor?.means ?? null];
        const rest = [action, target, outcome, code, requestId, address, JSON.stringify(details)];
        put.run(at, id, ...who, ...rest);
      }
    },
  };
}
