import { type IndexDescriptionInfo, MongoServerError } from 'mongodb';
import { ServiceError } from '../../../domain/errors.ts';
import { lost, repairable, type StoreProblem } from '../../../domain/maintenance/problems.ts';
import type { Database } from '../database.ts';
import { storageError } from '../errors.ts';
import { type CollectionIndexes, createIndexes } from '../indexes.ts';
import { storeIndexes } from '../store-indexes.ts';

/** Compares the indexes with their declarations. The server keeps what is in them. */
export async function* fsckDatabase(database: Database, repair: boolean): AsyncGenerator<StoreProblem> {
  for (const wanted of storeIndexes) {
    const there = await indexesOf(database, wanted.collection);
    for (const index of wanted.indexes) {
      const name = `${wanted.collection}.${index.name}`;
      const found = there.find((one) => one.name === index.name);
      if (!found) yield await missing(database, { ...wanted, indexes: [index] }, name, repair);
      else if (!isSame(found, index))
        yield lost('index', name, 'There is another index of this name', 'Drop it, then repair.');
    }
  }
}

function isSame(found: IndexDescriptionInfo, wanted: CollectionIndexes['indexes'][number]): boolean {
  const isUnique = Boolean(found.unique) === Boolean(wanted.unique);
  return isUnique && JSON.stringify(found.key) === JSON.stringify(wanted.key);
}

async function missing(
  database: Database,
  wanted: CollectionIndexes,
  name: string,
  repair: boolean,
): Promise<StoreProblem> {
  try {
    if (repair) await createIndexes(database, [wanted]);
    return repairable('index', name, 'This index is missing', repair);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw storageError(error);
    return lost('index', name, `This index is missing: ${error.message}`, 'Then repair again.');
  }
}

async function indexesOf({ db }: Database, collection: string): Promise<IndexDescriptionInfo[]> {
  try {
    return await db.collection(collection).indexes();
  } catch (error) {
    const isNoCollection = error instanceof MongoServerError && error.code === 26;
    if (isNoCollection) return [];
    throw storageError(error);
  }
}
