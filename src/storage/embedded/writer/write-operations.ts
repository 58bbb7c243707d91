import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { smallBlobWrites } from '../buckets/small-blob-writes.ts';
import { graphImportWrites, graphWrites } from '../graphs/graph-import-writes.ts';
import { unloggedWrites } from '../log/unlogged-writes.ts';
import type { SortWrites } from '../statements/row-writes.ts';
import { statementWrites } from '../statements/statement-writes.ts';

/** All operations that change the database, by name. Arguments and results can be sent between threads. */
export function writeOperations(database: DatabaseSync, sorts: SortWrites) {
  const unlogged = unloggedWrites(database);
  return {
    ...graphWrites(database),
    ...graphImportWrites(database, sorts, unlogged),
    ...recordWrites(database),
    ...statementWrites(database, sorts, unlogged),
    ...unlogged.operations,
    ...smallBlobWrites(database),
  };
}

export type WriteOperations = ReturnType<typeof writeOperations>;

interface RecordWrite {
  readonly sql: string;
  /** The statement runs once with each list of values. */
  readonly values: readonly (readonly SQLInputValue[])[];
}

function recordWrites(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  const statementOf = (sql: string) => prepared.getOrInsertComputed(sql, () => database.prepare(sql));
  return {
    /** @returns for each run whether it changed a row. RETURNING would take more time than the insertion itself. */
    changeRecords({ sql, values }: RecordWrite): boolean[] {
      const statement = statementOf(sql);
      return values.map((list) => Number(statement.run(...list).changes) === 1);
    },

    /** @param sql takes a JSON array with the texts of records. @returns the keys of those that were new. */
    insertRecords({ sql, records }: { readonly sql: string; readonly records: readonly string[] }): string[] {
      const rows = statementOf(sql).all(JSON.stringify(records));
      return rows.map(({ key }) => String(key));
    },

    /** @returns the first row that each run returned, if any. */
    writeRecords({ sql, values }: RecordWrite): (Record<string, SQLOutputValue> | undefined)[] {
      const statement = statementOf(sql);
      return values.map((list) => statement.get(...list));
    },
  };
}
