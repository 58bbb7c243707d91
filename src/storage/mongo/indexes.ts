import { type IndexDescription, MongoServerError } from 'mongodb';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import type { Database } from './database.ts';
import { isAccessProblem, isDiskFull, isOutage } from './errors.ts';

/** The indexes of a collection; each has a name, which never changes what it means. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly (IndexDescription & { readonly name: string })[];
}

/**
 * Makes those that are not there yet. Several processes may do so at once.
 * @throws ServiceError `unavailable` when something in the database is in the way of one.
 */
export async function createIndexes(database: Database, wanted: readonly CollectionIndexes[]): Promise<void> {
  for (const { collection, indexes } of wanted) {
    if (indexes.length === 0) continue;
    try {
      await database.db.collection(collection).createIndexes([...indexes]);
    } catch (error) {
      if (!isConflict(error)) throw error;
      throw new ServiceError(
        'unavailable',
        `An index of the collection "${collection}" of ${database.place} cannot be made: ${messageOf(error)}. ` +
          'Something else has written there: drop what is in the way, or choose another database with CAIRN_MONGODB_DATABASE.',
        { cause: error },
      );
    }
  }
}

/** Not every server has codes of its own for what is in the way. */
function isConflict(error: unknown): boolean {
  return (
    error instanceof MongoServerError && !isOutage(error) && !isDiskFull(error) && !isAccessProblem(error)
  );
}
