import type { DatabaseSync } from 'node:sqlite';
import { graphImportWrites } from './graph-import-writes.ts';
import { graphWrites } from './graph-writes.ts';
import { jobWrites } from './job-writes.ts';
import type { LevelSizes } from './levels.ts';
import { settingWrites } from './setting-writes.ts';
import { statementWrites } from './statement-writes.ts';

/** Everything that changes the database, by name: each takes what can be sent between threads. */
export function writeOperations(database: DatabaseSync, levelSizes: LevelSizes) {
  return {
    ...graphWrites(database),
    ...graphImportWrites(database, levelSizes),
    ...jobWrites(database),
    ...settingWrites(database),
    ...statementWrites(database, levelSizes),
  };
}

export type WriteOperations = ReturnType<typeof writeOperations>;
