import type { IndexDescription } from 'mongodb';
import type { Database } from './database.ts';

/** The indexes of a collection; each has a name, which never changes what it means. */
export interface CollectionIndexes {
  readonly collection: string;
  readonly indexes: readonly (IndexDescription & { readonly name: string })[];
}

/** Makes those that are not there yet. Several processes may do so at once. */
export async function createIndexes(database: Database, wanted: readonly CollectionIndexes[]): Promise<void> {
  for (const { collection, indexes } of wanted) {
    await database.db.collection(collection).createIndexes([...indexes]);
  }
}
