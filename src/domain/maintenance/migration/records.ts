import { collections } from '../../collections/all.ts';
import type { Collection } from '../../collections/collection.ts';
import type { StoreProblem } from '../problems.ts';
import { recordProblem } from '../record-problem.ts';
import { leftOut, type MigrationRun, readable } from './run.ts';

const advice = 'Correct it in the source and repeat.';

/** Copies the records of all collections that are not transient. Records that the target has stay unchanged. */
export async function* copyRecords(run: MigrationRun): AsyncGenerator<StoreProblem> {
  for (const declared of collections) if (!declared.isTransient) yield* copyCollection(run, declared);
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
      else yield leftOut(run, 'record', `${name}/${id}`, problem, advice);
    }
    const isNew = await records.insert(whole);
    for (const [at, record] of whole.entries()) {
      const id = String(record[key]);
      if (isNew[at]) counts.stored += 1;
      if (isNew[at] || (await records.get(id))) count('records', 1);
      else {
        const problem = 'The target has another record with the same unique members';
        yield leftOut(run, 'record', `${name}/${id}`, problem, advice);
      }
    }
  }
}
