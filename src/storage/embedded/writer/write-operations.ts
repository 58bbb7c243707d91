import type { DatabaseSync } from 'node:sqlite';
import { recordWrites } from '../collections/record-writes.ts';
import { graphImportWrites } from '../graphs/graph-import-writes.ts';
import { graphWrites } from '../graphs/graph-writes.ts';
import type { LevelSizes } from '../index/levels.ts';
import { statementWrites } from '../statements/statement-writes.ts';

/** Everything that changes the database, by name: each takes what can be sent between threads. */
export function writeOperations(database: DatabaseSync, levelSizes: LevelSizes) {
  return {
    ...graphWrites(database),
    ...graphImportWrites(database, levelSizes),
    ...recordWrites(database),
    ...statementWrites(database, levelSizes),
  };
}

export type WriteOperations = ReturnType<typeof writeOperations>;
