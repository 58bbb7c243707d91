import type { DatabaseSync } from 'node:sqlite';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { HistoryPage } from '../../../domain/maintenance/migration/ports.ts';
import { readError } from '../errors.ts';
import { readStatement, selectAnyStatements } from '../fsck/statements.ts';

/** What every store takes in one step. */
const pageRows = 200;
const pageBytes = 1 << 20;

/** Statements in the order in which they were stored. */
export function* statementsInOrder(reader: DatabaseSync, after: string | null): Generator<HistoryPage> {
  const next = selectAnyStatements(reader, 'seq > ? ORDER BY seq LIMIT 1');
  let last = BigInt(after ?? 0);
  for (;;) {
    const entries: StoredStatement[] = [];
    for (let bytes = 0; entries.length < pageRows && bytes < pageBytes; ) {
      const row = next.get(last);
      if (!row) break;
      const { statement } = readStatement(row);
      entries.push(statement);
      bytes += statement.jcs.length;
      last = row.seq as bigint;
    }
    if (entries.length === 0) return;
    yield { entries, last: String(last) };
  }
}

export function memberships(reader: DatabaseSync): number {
  try {
    return Number(reader.prepare('SELECT count(*) AS count FROM statement_graphs').get()?.count);
  } catch (error) {
    throw readError(error);
  }
}
