import { type IndexDescription, MongoServerError } from 'mongodb';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import type { Database } from './database.ts';
import { isAccessProblem, isDiskFull, isOutage } from './errors.ts';

/** The indexes of a collection. An index with another definition needs another name. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly (IndexDescription & { readonly name: string })[];
}

/**
 * Creates missing indexes. Several processes may do this at once.
 * @throws ServiceError `unavailable` when an index conflicts with the content of the database.
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
        `Cairn cannot create an index of the collection "${collection}" of ${database.place}: ${messageOf(error)}. ` +
          'Remove what conflicts with it, or choose another database with CAIRN_MONGODB_DATABASE.',
        { cause: error },
      );
    }
  }
}

/** Some servers have no error codes for conflicts, so every other server error counts. */
function isConflict(error: unknown): boolean {
  return (
    error instanceof MongoServerError && !isOutage(error) && !isDiskFull(error) && !isAccessProblem(error)
  );
}
