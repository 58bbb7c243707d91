import type { DatabaseSync } from 'node:sqlite';
import { auditLogWrites } from '../audit-log/audit-log-writes.ts';
import { graphImportWrites } from '../graphs/graph-import-writes.ts';
import { graphWrites } from '../graphs/graph-writes.ts';
import { jobWrites } from '../jobs/job-writes.ts';
import { settingWrites } from '../limits/setting-writes.ts';
import { sessionWrites } from '../sessions/session-writes.ts';
import { sortWrites } from '../statements/row-writes.ts';
import { statementWrites } from '../statements/statement-writes.ts';
import { userWrites } from '../users/user-writes.ts';

/** Everything that changes the database, by name: each takes what can be sent between threads. */
export function writeOperations(database: DatabaseSync) {
  const sorts = sortWrites(database);
  return {
    ...auditLogWrites(database),
    ...graphWrites(database),
    ...graphImportWrites(database, sorts),
    ...jobWrites(database),
    ...sessionWrites(database),
    ...settingWrites(database),
    ...statementWrites(database, sorts),
    ...userWrites(database),
  };
}

export type WriteOperations = ReturnType<typeof writeOperations>;
