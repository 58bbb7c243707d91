import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordStore } from '../../domain/collections/collection.ts';
import { blobSizes, withKnownSizes } from '../../domain/integrity/blobs/blob-sizes.ts';
import { withNames } from '../../domain/integrity/names/named-store.ts';
import { planned } from '../../domain/integrity/statements/planned-store.ts';
import { folderError } from '../file-errors.ts';
import { probeFolder } from '../folder-probe.ts';
import { repeat } from '../repeat.ts';
import { spoolFiles } from '../spool-files.ts';
import type { PlannedStore } from '../store.ts';
import { sweepUploads } from './blobs/blob-orphans.ts';
import { blobPlaces, buckets } from './blobs/blob-places.ts';
import { mongoBlobs } from './blobs/blobs.ts';
import { mongoDocuments } from './blobs/documents.ts';
import { namedFiles } from './blobs/named-files.ts';
import { mongoRecords } from './collections/records.ts';
import { watchConnection } from './connection-watch.ts';
import type { DatabaseAddress } from './database.ts';
import { translated } from './errors.ts';
import { mongoExchangeSeries } from './exchanges/exchange-series.ts';
import { mongoGraphImports } from './graphs/graph-imports.ts';
import { mongoGraphs } from './graphs/graphs.ts';
import { sweepImports } from './graphs/import-orphans.ts';
import { RegisteredGraphs } from './graphs/registered-graphs.ts';
import { openDatabase, type Patience } from './open-database.ts';
import { mongoStatementRows } from './statements/statement-rows.ts';
import { mongoStatements } from './statements/statements.ts';
import { storeIndexes } from './store-indexes.ts';

/** All processes remove orphans, at the start and then hourly. */
const sweepEveryMs = 3_600_000;

/**
 * Opens the store of a database. Any number of processes can do so.
 * @param folder for temporary files. Processes can share it.
 * @throws ServiceError `unavailable`, `storage_full`. The message names the server or the folder and what to do.
 * `retryAfter` is set when the server was not reached in time.
 */
export async function openMongo(
  address: DatabaseAddress,
  folder: string,
  patience: Patience,
): Promise<PlannedStore> {
  await using opened = new AsyncDisposableStack();
  const spoolFolder = await openSpoolFolder(folder);
  const database = opened.use(await openDatabase(address, storeIndexes, patience));
  const { failure } = opened.use(watchConnection(database));
  const places = blobPlaces(database);
  const registered = new RegisteredGraphs(database);
  opened.use(
    repeat(sweepEveryMs, async () => {
      for (const bucket of buckets)
        await sweepUploads(blobPlaces(database, bucket), database.now()).catch(() => {});
      await sweepImports(database, database.now());
    }),
  );
  const stack = opened.move();
  const rows = mongoStatementRows(database, registered);
  const of: RecordStore['of'] = (declared) => mongoRecords(database, declared);
  const store = planned({
    place: database.place,
    rows,
    snapshot: async () => ({ rows, graphReads: registered, [Symbol.asyncDispose]: async () => {} }),
    statements: mongoStatements(database, registered),
    graphs: mongoGraphs(database, registered),
    graphReads: registered,
    graphImports: mongoGraphImports(database),
    spools: spoolFiles(spoolFolder),
    exportResults: namedFiles(blobPlaces(database, 'exports')),
    sealedContents: namedFiles(blobPlaces(database, 'sealed')),
    blobs: withKnownSizes(mongoBlobs(places), of(blobSizes)),
    of,
    exchangeSeries: mongoExchangeSeries(database),
    failure,
    connections: () => database.connections(),
    now: () => database.now(),
    async ready() {
      await translated(() => database.ping());
      await probeFolder(spoolFolder);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  });
  return withNames(store, { documents: mongoDocuments(places) });
}

async function openSpoolFolder(folder: string): Promise<string> {
  const spools = join(folder, 'spool');
  try {
    await mkdir(spools, { recursive: true, mode: 0o700 });
    return spools;
  } catch (error) {
    throw folderError(error, folder);
  }
}
