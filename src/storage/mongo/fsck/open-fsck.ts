import { countInGraph } from '../../../domain/integrity/statements/contents.ts';
import type { StoreCheck } from '../../../domain/maintenance/fsck/ports.ts';
import { repairable } from '../../../domain/maintenance/fsck/problems.ts';
import type { StoreHistory } from '../../../domain/maintenance/migration/ports.ts';
import type { DatabaseAddress } from '../database.ts';
import { translatedEach } from '../errors.ts';
import { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { openExisting, type Patience } from '../open-database.ts';
import { memberships, statementsInOrder } from '../statements/history.ts';
import { mongoStatementRows } from '../statements/statement-rows.ts';
import { mongoContents } from './contents.ts';
import { fsckDatabase } from './database.ts';
import { derivedData } from './derived.ts';
import { fsckAttachments, fsckGraphIds } from './graphs.ts';
import { fsckOrphans, fsckResultNames } from './orphans.ts';
import { statementRewriting } from './statements.ts';

/**
 * Opens the store of a database as it stands, while others may use it: nothing in it changes by that.
 * @throws ServiceError a sentence that names the server and what to do; `not_found` when the database has no store.
 */
export async function openMongoCheck(
  address: DatabaseAddress,
  patience: Patience,
): Promise<StoreCheck & StoreHistory> {
  const database = await openExisting(address, patience);
  const graphs = new RegisteredGraphs(database);
  const derived = derivedData(database, graphs);
  const rows = mongoStatementRows(database, graphs);
  return {
    ...mongoContents(database, graphs),
    place: database.place,
    database: (repair) => translatedEach(fsckDatabase(database, repair)),
    rewrite: statementRewriting(database),
    async *indexes(repair) {
      yield* translatedEach(fsckGraphIds(database));
      yield* translatedEach(fsckAttachments(database));
      const problems = await Array.fromAsync(derived.check());
      if (repair && problems.length > 0) await derived.rebuild();
      for (const { what, id, problem } of problems) yield repairable(what, id, problem, repair);
    },
    statementsInOrder: (after) => statementsInOrder(database, graphs, after),
    memberships: () => memberships(database),
    graphContents: { count: (graphId, jcsCids) => countInGraph(rows, graphId, jcsCids) },
    async *orphans(repair) {
      yield* translatedEach(fsckResultNames(database));
      yield* translatedEach(fsckOrphans(database, repair));
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
