import { setTimeout } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { Database, type DatabaseAddress, databaseClient, placeOf } from './database.ts';
import { isDuplicate, isOutage, startError } from './errors.ts';
import { type CollectionIndexes, createIndexes } from './indexes.ts';

const pauseMs = 250;

export interface Patience {
  readonly waitMs: number;
  readonly waiting: (sentence: string) => void;
}

/**
 * Opens a database as soon as its server answers. Creates missing indexes.
 * @throws ServiceError `unavailable`, with `retryAfter` when the server was not reached in time; `storage_full`.
 */
export async function openDatabase(
  address: DatabaseAddress,
  indexes: readonly CollectionIndexes[],
  patience: Patience,
): Promise<Database> {
  return await reachDatabase(address, patience, async (database) => {
    await checkSchema(database);
    await createIndexes(database, indexes);
  });
}

/** Opens an existing database without changing it. @throws ServiceError as `openDatabase`; `not_found`. */
export async function openExisting(address: DatabaseAddress, patience: Patience): Promise<Database> {
  return await reachDatabase(address, patience, assertSchema);
}

async function reachDatabase(
  address: DatabaseAddress,
  { waitMs, waiting }: Patience,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  const until = performance.now() + waitMs;
  const place = placeOf(clientOf(address), address.name);
  for (;;) {
    try {
      await using opened = new AsyncDisposableStack();
      const client = opened.adopt(clientOf(address), (client) => client.close());
      const database = await Database.connect(client, address);
      await prepare(database);
      opened.move();
      return database;
    } catch (error) {
      if (!isOutage(error)) throw startError(error, place);
      if (performance.now() > until) throw unreachable(place, waitMs, error);
      waiting(`Waiting for ${place}: ${messageOf(error)}`);
    }
    await setTimeout(pauseMs);
  }
}

/** The driver's message may contain a part of the password, so it is hidden if the URL has one. */
function clientOf({ url }: DatabaseAddress): MongoClient {
  try {
    return databaseClient(url);
  } catch (error) {
    const reason = url.includes('@')
      ? 'Escape special characters in the password, such as "%40" for "@"'
      : messageOf(error);
    throw new ServiceError('unavailable', `CAIRN_MONGODB_URL is not a valid connection string. ${reason}.`);
  }
}

function unreachable(place: string, waitMs: number, cause: unknown): ServiceError {
  const message =
    `${place} was not reached within ${waitMs / 1_000} s (CAIRN_START_WAIT): ${messageOf(cause)}. ` +
    'Start it, or correct CAIRN_MONGODB_URL.';
  return new ServiceError('unavailable', message, { cause, retryAfter: 1 });
}

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
async function checkSchema(database: Database): Promise<void> {
  const settings = database.collection<SchemaDocument>('settings');
  await settings.insertOne({ _id: 'schema', version: schemaVersion }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
  });
  await assertSchema(database);
}

/** Checks the version without changes. @throws ServiceError as `checkSchema`; `not_found` when there is no store. */
async function assertSchema(database: Database): Promise<void> {
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
