import type { DatabaseSync } from 'node:sqlite';
import { auditLogWrites } from './audit-log-writes.ts';
import { graphImportWrites } from './graph-import-writes.ts';
import { graphWrites } from './graph-writes.ts';
import { jobWrites } from './job-writes.ts';
import type { LevelSizes } from './levels.ts';
import { sessionWrites } from './session-writes.ts';
import { settingWrites } from './setting-writes.ts';
import { statementWrites } from './statement-writes.ts';
import { userWrites } from './user-writes.ts';

/** Everything that changes the database, by name: each takes what can be sent between threads. */
export function writeOperations(database: DatabaseSync, levelSizes: LevelSizes) {
  return {
    ...auditLogWrites(database),
    ...graphWrites(database),
    ...graphImportWrites(database, levelSizes),
    ...jobWrites(database),
    ...sessionWrites(database),
    ...settingWrites(database),
    ...statementWrites(database, levelSizes),
    ...userWrites(database),
  };
}

export type WriteOperations = ReturnType<typeof writeOperations>;
