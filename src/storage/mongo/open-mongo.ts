import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GraphContents, GraphImports, SpoolStore } from '../../domain/integrity/manifest-ports.ts';
import type {
  BlobStore,
  GraphStore,
  RunTimeLimitStore,
  StatementIndex,
  StatementStore,
} from '../../domain/integrity/ports.ts';
import { folderFault } from '../file-faults.ts';
import { SpoolFiles } from '../spool-files.ts';
import { sweepUploads } from './blob-leftovers.ts';
import { blobIndexes, blobPlaces } from './blob-places.ts';
import { MongoBlobs } from './blobs.ts';
import type { DatabaseAddress } from './database.ts';
import { translated } from './faults.ts';
import { attachmentIndexes } from './graph-attachments.ts';
import { MongoGraphContents } from './graph-contents.ts';
import { graphIndexes } from './graph-documents.ts';
import { MongoGraphImports } from './graph-imports.ts';
import { GraphNumbers } from './graph-numbers.ts';
import { MongoGraphs } from './graphs.ts';
import { sweepImports } from './import-leftovers.ts';
import { startSweeping } from './leftovers.ts';
import { openDatabase, type Patience } from './open-database.ts';
import { MongoRunTimeLimits } from './run-time-limits.ts';
import { mongoStatementIndex } from './statement-index.ts';
import { statementIndexes } from './statement-indexes.ts';
import { MongoStatements } from './statements.ts';

export interface MongoStore extends AsyncDisposable {
  readonly place: string;
  readonly statements: StatementStore;
  readonly statementIndex: StatementIndex;
  readonly graphs: GraphStore;
  readonly graphContents: GraphContents;
  readonly graphImports: GraphImports;
  readonly spools: SpoolStore;
  readonly blobs: BlobStore;
  readonly runTimeLimits: RunTimeLimitStore;
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
  const indexes = [graphIndexes, attachmentIndexes, ...blobIndexes, statementIndexes];
  const database = opened.use(await openDatabase(address, indexes, patience));
  const places = blobPlaces(database);
  const numbers = new GraphNumbers(database);
  opened.use(
    startSweeping([() => sweepUploads(places, database.now()), () => sweepImports(database, database.now())]),
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
    blobs: new MongoBlobs(places),
    runTimeLimits: new MongoRunTimeLimits(database),
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
    throw folderFault(error, folder);
  }
}
