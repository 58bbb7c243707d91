import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

interface RecordWrite {
  readonly sql: string;
  /** The statement runs once with each list of values. */
  readonly values: readonly (readonly SQLInputValue[])[];
}

export function recordWrites(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  const statementOf = (sql: string) => prepared.getOrInsertComputed(sql, () => database.prepare(sql));
  return {
    /** @returns for each run whether it changed a row. RETURNING would take more time than the insertion itself. */
    insertRecords({ sql, values }: RecordWrite): boolean[] {
      const statement = statementOf(sql);
      return values.map((list) => Number(statement.run(...list).changes) === 1);
    },

    /** @returns the first row that each run returned, if any. */
    writeRecords({ sql, values }: RecordWrite): (Record<string, SQLOutputValue> | undefined)[] {
      const statement = statementOf(sql);
      return values.map((list) => statement.get(...list));
    },
  };
}
