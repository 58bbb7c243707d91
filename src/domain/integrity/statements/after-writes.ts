import type { GraphImports } from '../manifest/ports.ts';
import type { PutCounts, StatementRow, StatementStore } from '../ports.ts';
import { PackedRows } from './packed-rows.ts';

/** What stores statements, one by one or with an imported graph. */
export interface StatementWrites {
  readonly statements: StatementStore;
  readonly graphImports: GraphImports;
}

export type StoredRows = PackedRows | readonly StatementRow[];

/** Does something with statements as soon as they are stored, also if they were known, so that a repeat completes it. */
export function afterWrites(
  { statements, graphImports }: StatementWrites,
  work: (rows: StoredRows) => Promise<void>,
): StatementWrites {
  const thenWork = async (given: Iterable<StatementRow>, put: (rows: typeof given) => Promise<PutCounts>) => {
    const rows = given instanceof PackedRows ? given : [...given];
    const counts = await put(rows);
    await work(rows);
    return counts;
  };
  return {
    statements: {
      ...statements,
      putMany: (given, ...under) => thenWork(given, (rows) => statements.putMany(rows, ...under)),
    },
    graphImports: {
      async begin(projectId) {
        const coming = await graphImports.begin(projectId);
        return { ...coming, put: (given) => thenWork(given, (rows) => coming.put(rows)) };
      },
    },
  };
}
