import type { StoreAudit } from '../../../domain/maintenance/fsck/ports.ts';
import type { StoreHistory } from '../../../domain/maintenance/migration/ports.ts';
import type { DatabaseAddress } from '../database.ts';
import { translatedEach } from '../errors.ts';
import { MongoGraphContents } from '../graphs/graph-contents.ts';
import { GraphNumbers } from '../graphs/graph-numbers.ts';
import { openExisting, type Patience } from '../open-database.ts';
import { memberships, statementsInOrder } from '../statements/history.ts';
import { mongoContents } from './contents.ts';
import { auditCounters } from './counters.ts';
import { auditDatabase } from './database.ts';
import { auditGraphIds } from './graphs.ts';
import { auditAttachments, auditMemberships } from './memberships.ts';
import { auditLeftovers, auditResultNames } from './orphans.ts';
import { statementRewriting } from './statements.ts';

/**
 * Opens the store of a database as it stands, while others may use it: nothing in it changes by that.
 * @throws ServiceError a sentence that names the server and what to do; `not_found` when the database has no store.
 */
export async function openMongoAudit(
  address: DatabaseAddress,
  patience: Patience,
): Promise<StoreAudit & StoreHistory> {
  const database = await openExisting(address, patience);
  const numbers = new GraphNumbers(database);
  return {
    ...mongoContents(database, numbers),
    place: database.place,
    database: (repair) => translatedEach(auditDatabase(database, repair)),
    rewrite: statementRewriting(database),
    async *indexes(repair, onRows) {
      yield* translatedEach(auditMemberships(database, numbers, repair, onRows));
      yield* translatedEach(auditGraphIds(database));
      yield* translatedEach(auditAttachments(database));
      yield* translatedEach(auditCounters(database, repair));
    },
    statementsInOrder: (after) => statementsInOrder(database, numbers, after),
    memberships: () => memberships(database),
    graphContents: new MongoGraphContents(database),
    async *leftovers(repair) {
      yield* translatedEach(auditResultNames(database));
      yield* translatedEach(auditLeftovers(database, repair));
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
