import type { DatabaseSync } from 'node:sqlite';
import type { StoredStatement } from '../../../domain/integrity/ports.ts';
import type { HistoryPage } from '../../../domain/maintenance/migration/ports.ts';
import { readError } from '../errors.ts';
import { selectAny, statementReads } from '../fsck/statements.ts';
import type { Sort } from '../index/entries.ts';

/** What every store takes in one step. */
const pageRows = 200;
const pageBytes = 1 << 20;

/** Verified statements in the order in which they were stored, then the unverified ones. */
export function* statementsInOrder(reader: DatabaseSync, after: string | null): Generator<HistoryPage> {
  const [start = 'verified', last = '0'] = after?.split(' ') ?? [];
  if (start === 'verified') yield* ofSort(reader, 'verified', BigInt(last));
  yield* ofSort(reader, 'unverified', BigInt(start === 'verified' ? 0 : last));
}

function* ofSort(reader: DatabaseSync, sort: Sort, after: bigint): Generator<HistoryPage> {
  const next = selectAny(reader, sort, 'seq > ? ORDER BY seq LIMIT 1');
  const toStatement = statementReads(reader, sort);
  let last = after;
  for (;;) {
    const entries: StoredStatement[] = [];
    for (let bytes = 0; entries.length < pageRows && bytes < pageBytes; ) {
      const row = next.get(last);
      if (!row) break;
      const { statement } = toStatement(row);
      entries.push(statement);
      bytes += statement.jcs.length;
      last = row.seq as bigint;
    }
    if (entries.length === 0) return;
    yield { entries, last: `${sort} ${last}` };
  }
}

/** How many graphs all statements are in together. */
export function memberships(reader: DatabaseSync): number {
  const counts = reader.prepare(
    'SELECT (SELECT count(*) FROM verified_graphs) + (SELECT count(*) FROM unverified_graphs) AS count',
  );
  try {
    return Number(counts.get()?.count);
  } catch (error) {
    throw readError(error);
  }
}
