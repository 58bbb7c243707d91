import { collections } from '../../collections/all.ts';
import type { Collection } from '../../collections/collection.ts';
import type { StoreProblem } from '../fsck/ports.ts';
import { lost } from '../fsck/problems.ts';
import { recordProblem } from '../fsck/records.ts';
import type { Migrating, MigrationCounts } from './ports.ts';
import { SourceReading } from './reading.ts';

/** Brings the records of all collections that are not transient. Those that the target has stay as they are there. */
export async function* bringRecords(
  migrating: Migrating,
  counts: MigrationCounts,
): AsyncGenerator<StoreProblem> {
  for (const declared of collections)
    if (!declared.isTransient) yield* bringCollection(migrating, declared, counts);
}

async function* bringCollection(
  { source, target, onProgress }: Migrating,
  declared: Collection,
  counts: MigrationCounts,
): AsyncGenerator<StoreProblem> {
  const { name, shape, key } = declared;
  const leftOut = (id: string, problem: string) =>
    lost('record', `${name}/${id}`, `Left out: ${problem}`, 'Put it right in the source and repeat.');
  const reading = new SourceReading(name);
  const records = target.of(declared);
  for await (const page of reading.of(source.records(declared))) {
    const whole: Record<string, unknown>[] = [];
    for (const { id, record } of page) {
      const problem = recordProblem(shape, record);
      if (problem === undefined) whole.push(record as Record<string, unknown>);
      else yield leftOut(id, problem);
    }
    const isNew = await records.insert(whole);
    for (const [at, record] of whole.entries()) {
      const id = String(record[key]);
      if (isNew[at]) counts.stored += 1;
      if (isNew[at] || (await records.get(id))) counts.records += 1;
      else yield leftOut(id, 'The target has another record with the same unique members');
    }
    onProgress('records', counts.records, undefined);
  }
  yield* reading.problems;
}
