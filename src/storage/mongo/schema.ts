import { ServiceError } from '../../domain/errors.ts';
import type { Database } from './database.ts';
import { isDuplicate } from './errors.ts';

/** The version of all documents. Indexes do not change it. */
const schemaVersion = 3;

interface SchemaDocument {
  readonly _id: 'schema';
  readonly version: number;
}

/**
 * Marks an empty database with the version of its documents.
 * @throws ServiceError `unavailable` when another version of Cairn wrote them.
 */
export async function checkSchema(database: Database): Promise<void> {
  const settings = database.collection<SchemaDocument>('settings');
  await settings.insertOne({ _id: 'schema', version: schemaVersion }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
  await assertSchema(database);
}

/** Checks the version without changes. @throws ServiceError as `checkSchema`; `not_found` when there is no store. */
export async function assertSchema(database: Database): Promise<void> {
  const found = await database.collection<SchemaDocument>('settings').findOne({ _id: 'schema' });
  if (!found)
    throw new ServiceError(
      'not_found',
      `There is no store at ${database.place}. Name its database with CAIRN_MONGODB_DATABASE.`,
    );
  if (found.version !== schemaVersion)
    throw new ServiceError(
      'unavailable',
      `The database "${database.db.databaseName}" was written by another version of Cairn (schema ` +
        `${found.version}, this one uses ${schemaVersion}). Start that version again, or choose another database ` +
        'with CAIRN_MONGODB_DATABASE.',
    );
}
