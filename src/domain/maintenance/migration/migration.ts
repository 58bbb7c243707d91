import { everythingVisible } from '../../access/visibility.ts';
import { parseCid } from '../../integrity/identifiers/cid.ts';
import type { StoreProblem } from '../fsck/ports.ts';
import { countsOf, messageOfDamage } from '../fsck/problems.ts';
import { bringBlobs } from './blobs.ts';
import { bringGraphs, damagedGraphs, demandRoom } from './graphs.ts';
import {
  type Migrating,
  type MigrationCounts,
  type MigrationState,
  type MigrationSummary,
  noMigration,
} from './ports.ts';
import { bringRecords } from './records.ts';
import { bringStatements } from './statements.ts';

/**
 * Brings everything from one store into another, but for jobs and sessions. Every hash and every id is computed again on the way;
 * what is damaged is told and left out. Statements keep the order in which they were stored, and that of their graphs,
 * so that all answers stay the same. To be repeated without harm; with its memory it goes on where it was.
 * @throws ServiceError `conflict` when the target has other content under the same graphs.
 */
export async function* migrate(migrating: Migrating): AsyncGenerator<StoreProblem, MigrationSummary> {
  const { source, target, memory } = migrating;
  const counts: MigrationCounts = {
    graphs: 0,
    blobs: 0,
    statements: 0,
    records: 0,
    stored: 0,
    leftOut: 0,
    damaged: 0,
  };
  const memberships = await membershipsOf(source);
  const start = await startOf(migrating, memberships);
  if (!start) await demandRoom(source, target);
  memory.write(start ?? { ...noMigration, memberships });
  const total = await countsOf(source);
  yield* counted(bringBlobs(migrating, counts, total?.blobs), counts);
  yield* damagedGraphs(source, counts);
  const brought = await bringGraphs(source, target, (done) =>
    migrating.onProgress('graphs', done, undefined),
  );
  counts.graphs = brought.graphs;
  counts.stored += brought.stored;
  yield* counted(bringStatements(migrating, counts, total?.statements), counts);
  yield* counted(bringRecords(migrating, counts), counts);
  return counts;
}

/**
 * Where an earlier run was, unless the target has lost what that run has stored, or statements of the source that it
 * has brought may be in more graphs by now.
 */
async function startOf(
  { target, memory }: Migrating,
  memberships: number,
): Promise<MigrationState | undefined> {
  const state = memory.read();
  if (state?.memberships !== memberships) return undefined;
  if (!state.newest) return state;
  const newest = await target.statements.byJcsCid(parseCid(state.newest), everythingVisible);
  return newest && state;
}

/** What cannot be counted is told where it is met again. */
async function membershipsOf(source: Migrating['source']): Promise<number> {
  try {
    return await source.memberships();
  } catch (error) {
    messageOfDamage(error);
    return 0;
  }
}

async function* counted(
  problems: AsyncIterable<StoreProblem>,
  counts: MigrationCounts,
): AsyncGenerator<StoreProblem> {
  for await (const problem of problems) {
    if (problem.severity === 'damage' && problem.repair === 'none') counts.leftOut += 1;
    yield problem;
  }
}
