import type { DatabaseSync } from 'node:sqlite';
import type { RecordStore } from '../../domain/collections/collection.ts';
import { planned } from '../../domain/integrity/statements/planned-store.ts';
import { releaseJobs } from '../../domain/jobs/job-records.ts';
import { jobs } from '../../domain/jobs/jobs.ts';
import { SpoolFiles } from '../spool-files.ts';
import type { PlannedStore } from '../store.ts';
import { openBlobPlaces } from './blobs/blob-places.ts';
import { EmbeddedBlobs } from './blobs/blobs.ts';
import { EmbeddedRecords } from './collections/records.ts';
import { openSnapshot } from './connections.ts';
import { openDatabase } from './database.ts';
import { startError } from './errors.ts';
import { EmbeddedGraphImports, forgetImports } from './graphs/graph-imports.ts';
import { graphReads } from './graphs/graph-reads.ts';
import { EmbeddedGraphs } from './graphs/graphs.ts';
import { EmbeddedExportResults } from './jobs/export-results.ts';
import { embeddedRows } from './statements/rows.ts';
import { EmbeddedStatements } from './statements/statements.ts';

/**
 * Opens the store of a data folder for this process alone.
 * @throws ServiceError `unavailable`, `storage_full`: a sentence that names the folder and what to do.
 */
export async function openEmbedded(dataDir: string): Promise<PlannedStore> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openDatabase(dataDir));
  const places = await openBlobPlaces(dataDir).catch((error: unknown) => {
    throw startError(error, dataDir);
  });
  void forgetImports(database);
  await releaseJobs(new EmbeddedRecords(database, jobs));
  const answer = database.reader.prepare('SELECT count(*) FROM (SELECT 1 FROM jobs LIMIT 1)');
  const stack = opened.move();
  const of: RecordStore['of'] = (declared) => new EmbeddedRecords(database, declared);
  return planned({
    place: `the data folder ${dataDir}`,
    ...rowsOf(database.reader),
    async snapshot() {
      const reader = openSnapshot(String(database.reader.location()));
      return { ...rowsOf(reader), [Symbol.asyncDispose]: async () => reader.close() };
    },
    statements: new EmbeddedStatements(database),
    graphs: new EmbeddedGraphs(database),
    graphImports: new EmbeddedGraphImports(database),
    exportResults: new EmbeddedExportResults(places),
    spools: new SpoolFiles(places.staging),
    blobs: new EmbeddedBlobs(places),
    of,
    now: () => new Date(),
    async ready() {
      database.writes.check();
      answer.get();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  });
}

function rowsOf(reader: DatabaseSync) {
  const rows = { verified: embeddedRows(reader, 'verified'), unverified: embeddedRows(reader, 'unverified') };
  return { rows, graphReads: graphReads(reader) };
}
