import { cidIn } from '../identifiers/cid.ts';
import type { StatementScope } from '../ports.ts';
import type { StatementRowsOfStore, WholeStatement } from '../statements/rows.ts';
import { isInScope, rowsIn } from '../statements/scopes.ts';
import type { NameRecord, NameRecords } from './name-records.ts';

export interface NameReading {
  readonly names: Pick<NameRecords, 'among' | 'page'>;
  readonly rows: StatementRowsOfStore;
}

/** The visible statements of names, by `jcs_cid`. */
export async function statementsOf(
  rows: StatementRowsOfStore,
  records: readonly Pick<NameRecord, 'id'>[],
  scope: StatementScope,
): Promise<ReadonlyMap<string, WholeStatement>> {
  const cids = records.flatMap(({ id }) => cidIn(id) ?? []);
  const found = new Map<string, WholeStatement>();
  if (cids.length === 0) return found;
  for (const part of rowsIn(rows, scope))
    for (const row of await part.whole(cids))
      if (row && isInScope(row, scope)) found.set(row.jcsCid.text, row);
  return found;
}
