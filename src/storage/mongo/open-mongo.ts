import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordStore } from '../../domain/collections/collection.ts';
import type {
  ExportResults,
  GraphContents,
  GraphImports,
  SpoolStore,
} from '../../domain/integrity/manifest/ports.ts';
import type { BlobStore, GraphStore, StatementIndex, StatementStore } from '../../domain/integrity/ports.ts';
import { folderError } from '../file-errors.ts';
import { SpoolFiles } from '../spool-files.ts';
import { sweepUploads } from './blobs/blob-orphans.ts';
import { blobPlaces } from './blobs/blob-places.ts';
import { MongoBlobs } from './blobs/blobs.ts';
import { MongoRecords } from './collections/records.ts';
import type { DatabaseAddress } from './database.ts';
import { translated } from './errors.ts';
import { MongoGraphContents } from './graphs/graph-contents.ts';
import { MongoGraphImports } from './graphs/graph-imports.ts';
import { GraphNumbers } from './graphs/graph-numbers.ts';
import { MongoGraphs } from './graphs/graphs.ts';
import { sweepImports } from './graphs/import-orphans.ts';
import { MongoExportResults } from './jobs/export-results.ts';
import { openDatabase, type Patience } from './open-database.ts';
import { startSweeping } from './orphans.ts';
import { mongoStatementIndex } from './statements/statement-index.ts';
import { MongoStatements } from './statements/statements.ts';
import { storeIndexes } from './store-indexes.ts';

export interface MongoStore extends RecordStore, AsyncDisposable {
  readonly place: string;
  readonly statements: StatementStore;
  readonly statementIndex: StatementIndex;
  readonly graphs: GraphStore;
  readonly graphContents: GraphContents;
  readonly graphImports: GraphImports;
  readonly spools: SpoolStore;
  readonly exportResults: ExportResults;
  readonly blobs: BlobStore;
  /** By the server's clock. */
  now(): Date;
  /** @throws ServiceError `unavailable` when the server does not answer. */
  ready(): Promise<void>;
}

/**
 * Opens the store of a database, which any number of processes may do.
 * @param folder for temporary files, which processes may share.
 * @throws ServiceError `unavailable`, `storage_full`: a sentence that names the server or the folder and what to do;
 * with `retryAfter` when the server was not reached in time.
 */
export async function openMongo(
  address: DatabaseAddress,
  folder: string,
  patience: Patience,
): Promise<MongoStore> {
  await using opened = new AsyncDisposableStack();
  const spoolFolder = await openSpoolFolder(folder);
  const database = opened.use(await openDatabase(address, storeIndexes, patience));
  const places = blobPlaces(database);
  const results = blobPlaces(database, 'exports');
  const numbers = new GraphNumbers(database);
  opened.use(
    startSweeping([
      () => sweepUploads(places, database.now()),
      () => sweepUploads(results, database.now()),
      () => sweepImports(database, database.now()),
    ]),
  );
  const stack = opened.move();
  return {
    place: database.place,
    statements: new MongoStatements(database, numbers),
    statementIndex: mongoStatementIndex(database, numbers),
    graphs: new MongoGraphs(database),
    graphContents: new MongoGraphContents(database),
    graphImports: new MongoGraphImports(database),
    spools: new SpoolFiles(spoolFolder),
    exportResults: new MongoExportResults(results),
    blobs: new MongoBlobs(places),
    of: (declared) => new MongoRecords(database, declared),
    now: () => database.now(),
    ready: () => translated(() => database.ping()),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
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
