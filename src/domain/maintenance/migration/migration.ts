import { collections } from '../../collections/all.ts';
import type { Collection } from '../../collections/collection.ts';
import { eachRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { isObject } from '../../json/is-object.ts';
import { countsOf, type StoreCounts } from '../contents.ts';
import { recordProblem, type StoreProblem } from '../problems.ts';
import { upgradeSteps } from '../upgrades/upgrades.ts';
import { copyBlobs, copySealed } from './blobs.ts';
import { assertSameGraphs, copyGraphs } from './graphs.ts';
import { copyLogs, logCollections } from './logs.ts';
import {
  leftOut,
  type Migration,
  type MigrationCounts,
  type MigrationPart,
  type MigrationRun,
  readable,
} from './run.ts';
import { copyStatements } from './statements.ts';

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
  // Logs last: they have everything that records say they have.
  for (const copy of [copyBlobs, copyGraphs, copyStatements, copySealed, copyRecords, copyLogs]) {
    yield* copy(run);
    yield* run.unread.splice(0);
  }
  return counts;
}

/** The target would not do its upgrade steps again for content of an older version. @throws ServiceError `conflict`. */
async function assertSourceIsCurrent({ source, target }: Pick<Migration, 'source' | 'target'>) {
  const behind = new Set<string>();
  for await (const page of source.records(upgradeSteps))
    for (const { id, record } of page) if (isObject(record) && record.finishedAt !== null) behind.add(id);
  for await (const { step, title } of eachRecord(target.of(upgradeSteps), 'key', []))
    if (!behind.has(step))
      throw new ServiceError(
        'conflict',
        `The target has upgrade step ${step} (${title}) behind it, and the source has not. Run "cairn setup" on the ` +
          'source first.',
      );
}

const advice = 'Correct it in the source and repeat.';

/** Copies the records of all collections that are not transient. Records that the target has stay unchanged. */
async function* copyRecords(run: MigrationRun): AsyncGenerator<StoreProblem> {
  for (const declared of collections)
    if (!declared.isTransient && !logCollections.has(declared)) yield* copyCollection(run, declared);
}

async function* copyCollection(run: MigrationRun, declared: Collection): AsyncGenerator<StoreProblem> {
  const { source, target, counts, count } = run;
  const { name, shape, key } = declared;
  const records = target.of(declared);
  for await (const page of readable(run, name, source.records(declared))) {
    const whole: Record<string, unknown>[] = [];
    for (const { id, record } of page) {
      const problem = recordProblem(shape, record);
      if (problem === undefined) whole.push(record as Record<string, unknown>);
      else yield leftOut(run, { kind: 'record', id: `${name}/${id}`, problem }, advice);
    }
    const isNew = await records.insert(whole);
    for (const [at, record] of whole.entries()) {
      const id = String(record[key]);
      if (isNew[at]) counts.stored += 1;
      if (isNew[at] || (await records.get(id))) count('records', 1);
      else {
        const problem = 'The target has another record with the same unique members';
        yield leftOut(run, { kind: 'record', id: `${name}/${id}`, problem }, advice);
      }
    }
  }
}
