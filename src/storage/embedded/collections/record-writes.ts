import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

interface RecordWrite {
  readonly sql: string;
  /** The statement runs once with each list of values. */
  readonly values: readonly (readonly SQLInputValue[])[];
}

/** Writes of records, for the thread that writes. */
export function recordWrites(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  return {
    /** @returns the first row that each run has returned, if any. */
    writeRecords({ sql, values }: RecordWrite): (Record<string, SQLOutputValue> | undefined)[] {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      prepared.set(sql, statement);
      return values.map((list) => statement.get(...list));
    },
  };
}
