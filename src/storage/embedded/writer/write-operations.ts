import type { DatabaseSync } from 'node:sqlite';
import { recordWrites } from '../collections/record-writes.ts';
import { graphImportWrites } from '../graphs/graph-import-writes.ts';
import { graphWrites } from '../graphs/graph-writes.ts';
import type { SortWrites } from '../statements/row-writes.ts';
import { statementWrites } from '../statements/statement-writes.ts';

/** All operations that change the database, by name. Arguments and results can be sent between threads. */
export function writeOperations(database: DatabaseSync, sorts: SortWrites) {
  return {
    ...graphWrites(database),
    ...graphImportWrites(database, sorts),
    ...recordWrites(database),
    ...statementWrites(database, sorts),
  };
}

export type WriteOperations = ReturnType<typeof writeOperations>;
