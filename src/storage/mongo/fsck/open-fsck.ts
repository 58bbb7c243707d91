import type { StoreCheck } from '../../../domain/maintenance/fsck/ports.ts';
import type { StoreHistory } from '../../../domain/maintenance/migration/ports.ts';
import type { DatabaseAddress } from '../database.ts';
import { translatedEach } from '../errors.ts';
import { MongoGraphContents } from '../graphs/graph-contents.ts';
import { GraphNumbers } from '../graphs/graph-numbers.ts';
import { openExisting, type Patience } from '../open-database.ts';
import { memberships, statementsInOrder } from '../statements/history.ts';
import { mongoContents } from './contents.ts';
import { fsckCounters } from './counters.ts';
import { fsckDatabase } from './database.ts';
import { fsckGraphIds } from './graphs.ts';
import { fsckAttachments, fsckMemberships } from './memberships.ts';
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
  const numbers = new GraphNumbers(database);
  return {
    ...mongoContents(database, numbers),
    place: database.place,
    database: (repair) => translatedEach(fsckDatabase(database, repair)),
    rewrite: statementRewriting(database),
    async *indexes(repair, onRows) {
      yield* translatedEach(fsckMemberships(database, numbers, repair, onRows));
      yield* translatedEach(fsckGraphIds(database));
      yield* translatedEach(fsckAttachments(database));
      yield* translatedEach(fsckCounters(database, repair));
    },
    statementsInOrder: (after) => statementsInOrder(database, numbers, after),
    memberships: () => memberships(database),
    graphContents: new MongoGraphContents(database),
    async *orphans(repair) {
      yield* translatedEach(fsckResultNames(database));
      yield* translatedEach(fsckOrphans(database, repair));
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
