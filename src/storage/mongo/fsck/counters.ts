import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { repairable } from '../../../domain/maintenance/fsck/problems.ts';
import { counterCollection, graphCounter } from '../counters.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { graphCollection } from '../graphs/graph-documents.ts';

/** Whether the next graph gets a number that no graph has. */
export async function* fsckCounters(database: Database, repair: boolean): AsyncGenerator<StoreProblem> {
  const [newest] = await translated(() =>
    graphCollection(database)
      .find({}, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .limit(1)
      .toArray(),
  );
  // Read after the graphs: each took its number before it was stored.
  const counters = counterCollection(database);
  const last = (await translated(() => counters.findOne({ _id: graphCounter })))?.last ?? 0;
  if (!newest || last >= newest._id) return;
  if (repair)
    await translated(() =>
      counters.updateOne({ _id: graphCounter }, { $max: { last: newest._id } }, { upsert: true }),
    );
  const problem = `It stands at ${last}, and there is a graph with the number ${newest._id}`;
  yield repairable('count', 'counter of graphs', problem, repair);
}
