import { ServiceError } from '../../domain/errors.ts';
import type { Database } from './database.ts';
import { isDuplicate } from './errors.ts';

/** Of the documents of all collections. An index more or less is no new version. */
const schemaVersion = 1;

interface SchemaDocument {
  readonly _id: 'schema';
  readonly version: number;
}

/**
 * Marks an empty database with the version of its documents.
 * @throws ServiceError `unavailable` when they are newer than this program.
 */
export async function checkSchema(database: Database): Promise<void> {
  const settings = database.collection<SchemaDocument>('settings');
  await settings.insertOne({ _id: 'schema', version: schemaVersion }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
  const version = (await settings.findOne({ _id: 'schema' }))?.version ?? schemaVersion;
  if (version > schemaVersion) refuseNewer(database.db.databaseName, version);
}

/** For who reads a database as it stands. @throws ServiceError `not_found` when nothing was ever stored there. */
export async function demandSchema(database: Database): Promise<void> {
  const found = await database.collection<SchemaDocument>('settings').findOne({ _id: 'schema' });
  if (!found)
    throw new ServiceError(
      'not_found',
      `There is no store at ${database.place}. Name its database with CAIRN_MONGODB_DATABASE.`,
    );
  if (found.version > schemaVersion) refuseNewer(database.db.databaseName, found.version);
}

function refuseNewer(name: string, version: number): never {
  throw new ServiceError(
    'unavailable',
    `The database "${name}" was written by a newer Cairn (schema ${version}, this one knows ${schemaVersion}). ` +
      'Start that version again, or choose another database with CAIRN_MONGODB_DATABASE.',
  );
}
