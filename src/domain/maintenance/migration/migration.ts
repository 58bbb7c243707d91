import { countsOf, type StoreCounts } from '../contents.ts';
import type { StoreProblem } from '../problems.ts';
import { copyBlobs } from './blobs.ts';
import { assertSameGraphs, copyGraphs } from './graphs.ts';
import { copyRecords } from './records.ts';
import type { Migration, MigrationCounts, MigrationPart, MigrationRun } from './run.ts';
import { copySealed } from './sealed.ts';
import { copyStatements } from './statements.ts';
import { assertSourceIsCurrent } from './upgrades.ts';

/**
 * Copies everything except transient records from one store to another. It computes every hash and every id again, and
 * leaves out what is damaged. Statements keep their order, and so do the graphs of each, so all answers stay the same.
 * A repeat stores only what is new.
 * @throws ServiceError `conflict` if the target has other graphs with the same ids, or upgrade steps behind it that the
 *   source has not.
 */
export async function* migrate({
  onProgress,
  ...stores
}: Migration): AsyncGenerator<StoreProblem, Readonly<MigrationCounts>> {
  const counts = { graphs: 0, blobs: 0, statements: 0, records: 0, stored: 0, leftOut: 0, damaged: 0 };
  await assertSourceIsCurrent(stores);
  await assertSameGraphs(stores);
  const total: Partial<StoreCounts & Record<MigrationPart, number>> = (await countsOf(stores.source)) ?? {};
  const count: MigrationRun['count'] = (part, added) => {
    counts[part] += added;
    onProgress(part, counts[part], total[part]);
  };
  const run: MigrationRun = { ...stores, counts, count, unread: [], copiedGraphs: new Set() };
  for (const copy of [copyBlobs, copyGraphs, copyStatements, copySealed, copyRecords]) {
    yield* copy(run);
    yield* run.unread.splice(0);
  }
  return counts;
}
