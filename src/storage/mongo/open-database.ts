import { setTimeout } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { Database, type DatabaseAddress, databaseClient, placeOf } from './database.ts';
import { isOutage, startError } from './errors.ts';
import { type CollectionIndexes, createIndexes } from './indexes.ts';
import { checkSchema, demandSchema } from './schema.ts';

const pauseMs = 250;

export interface Patience {
  /** For how long the start waits for the server. */
  readonly waitMs: number;
  /** Told a sentence each time that the server was not reached. */
  readonly waiting: (sentence: string) => void;
}

/**
 * Opens a database, and makes what it lacks, as soon as its server answers.
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

/** Opens a database that is there as it stands. @throws ServiceError as `openDatabase`; `not_found`. */
export async function openExisting(address: DatabaseAddress, patience: Patience): Promise<Database> {
  return await reachDatabase(address, patience, demandSchema);
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
      return await prepared(clientOf(address), address.name, prepare);
    } catch (error) {
      if (!isOutage(error)) throw startError(error, place);
      if (performance.now() > until) throw unreachable(place, waitMs, error);
      waiting(`Waiting for ${place}: ${messageOf(error)}`);
    }
    await setTimeout(pauseMs);
  }
}

async function prepared(
  client: MongoClient,
  name: string,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  opened.defer(() => client.close());
  const database = await Database.connect(client, name);
  await prepare(database);
  opened.move();
  return database;
}

/** The driver's own sentence may have a part of the password in it, where that is what is wrong with the URL. */
function clientOf({ url }: DatabaseAddress): MongoClient {
  try {
    return databaseClient(url);
  } catch (error) {
    const reason = url.includes('@')
      ? 'Special characters in the password are written as in "%40" for "@"'
      : messageOf(error);
    throw new ServiceError(
      'unavailable',
      `CAIRN_MONGODB_URL is no connection string that can be used. ${reason}.`,
    );
  }
}

function unreachable(place: string, waitMs: number, cause: unknown): ServiceError {
  const message =
    `${place} was not reached within ${waitMs / 1_000} s (CAIRN_START_WAIT): ${messageOf(cause)}. ` +
    'Start it, or correct CAIRN_MONGODB_URL.';
  return new ServiceError('unavailable', message, { cause, retryAfter: 1 });
}
