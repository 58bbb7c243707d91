import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { lost } from '../../../domain/maintenance/fsck/problems.ts';
import type { Database } from '../database.ts';
import { graphCollection, isRegistered } from '../graphs/graph-documents.ts';

const advice = 'Restore the database from a backup.';

/** Documents that are neither graphs nor on their way to become some: nobody finds them, and statements may be in them. */
export async function* fsckGraphIds(database: Database): AsyncGenerator<StoreProblem> {
  const nameless = graphCollection(database).find({
    ...isRegistered,
    graphId: { $not: { $type: 'string' } },
  });
  for await (const { _id } of nameless) yield lost('graph', `number ${_id}`, 'It has lost its id', advice);
}
