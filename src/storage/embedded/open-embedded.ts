import type { RecordStore } from '../../domain/collections/collection.ts';
import type {
  ExportResults,
  GraphContents,
  GraphImports,
  SpoolStore,
} from '../../domain/integrity/manifest/ports.ts';
import type { BlobStore, GraphStore, StatementIndex, StatementStore } from '../../domain/integrity/ports.ts';
import { releaseJobs } from '../../domain/jobs/job-records.ts';
import { jobs } from '../../domain/jobs/jobs.ts';
import { SpoolFiles } from '../spool-files.ts';
import { openBlobPlaces } from './blobs/blob-places.ts';
import { EmbeddedBlobs } from './blobs/blobs.ts';
import { EmbeddedRecords } from './collections/records.ts';
import { openDatabase } from './database.ts';
import { startError } from './errors.ts';
import { EmbeddedGraphContents } from './graphs/graph-contents.ts';
import { EmbeddedGraphImports, forgetImports } from './graphs/graph-imports.ts';
import { EmbeddedGraphs } from './graphs/graphs.ts';
import { usualLevelSizes } from './index/levels.ts';
import { EmbeddedExportResults } from './jobs/export-results.ts';
import { embeddedStatementIndex } from './statements/statement-index.ts';
import { EmbeddedStatements } from './statements/statements.ts';

export interface EmbeddedStore extends RecordStore, AsyncDisposable {
  readonly place: string;
  readonly statements: StatementStore;
  readonly statementIndex: StatementIndex;
  readonly graphs: GraphStore;
  readonly graphContents: GraphContents;
  readonly graphImports: GraphImports;
  readonly spools: SpoolStore;
  readonly exportResults: ExportResults;
  readonly blobs: BlobStore;
  now(): Date;
  /** @throws when the database does not answer. */
  ready(): Promise<void>;
}

/**
 * Opens the store of a data folder for this process alone.
 * @throws ServiceError `unavailable`, `storage_full`: a sentence that names the folder and what to do.
 */
export async function openEmbedded(dataDir: string, levelSizes = usualLevelSizes): Promise<EmbeddedStore> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openDatabase(dataDir, levelSizes));
  const places = await openBlobPlaces(dataDir).catch((error: unknown) => {
    throw startError(error, dataDir);
  });
  void forgetImports(database);
  await releaseJobs(new EmbeddedRecords(database, jobs));
  const answer = database.reader.prepare('SELECT count(*) FROM (SELECT 1 FROM jobs LIMIT 1)');
  const stack = opened.move();
  return {
    place: `the data folder ${dataDir}`,
    statements: new EmbeddedStatements(database),
    statementIndex: embeddedStatementIndex(database),
    graphs: new EmbeddedGraphs(database),
    graphContents: new EmbeddedGraphContents(database),
    graphImports: new EmbeddedGraphImports(database),
    exportResults: new EmbeddedExportResults(places),
    spools: new SpoolFiles(places.staging),
    blobs: new EmbeddedBlobs(places),
    of: (declared) => new EmbeddedRecords(database, declared),
    now: () => new Date(),
    async ready() {
      database.writes.check();
      answer.get();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
