import { releaseJobs } from '../../domain/jobs/job-records.ts';
import { jobs } from '../../domain/jobs/jobs.ts';
import { probeFolder } from '../folder-probe.ts';
import { spoolFiles } from '../spool-files.ts';
import type { StoreDatabase } from '../store.ts';
import { assertBlobFolder, stagingIn } from './buckets/folder-bucket.ts';
import { type SmallBlobs, smallBlobs } from './buckets/small-blobs.ts';
import { embeddedRecords } from './collections/records.ts';
import { embeddedTermSearch } from './collections/term-search.ts';
import { openDatabase } from './database.ts';
import { embeddedExchangeSeries } from './exchanges/exchange-series.ts';
import { embeddedGraphImports, embeddedGraphs, forgetImports, graphReads } from './graphs/graphs.ts';
import { embeddedLoggedRows, embeddedUnlogged } from './log/unlogged.ts';
import { embeddedSnapshots } from './snapshots/snapshots.ts';
import { embeddedRows } from './statements/rows.ts';
import { embeddedStatements } from './statements/statements.ts';

export interface EmbeddedDatabase extends StoreDatabase {
  readonly smallBlobs: SmallBlobs;
}

/**
 * Opens the database of a data folder for this process alone. It needs the folders of the buckets from then on.
 * @throws ServiceError `unavailable`, `storage_full`. The message names the folder and what to do.
 */
export async function openEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openDatabase(dataDir));
  const { reader } = database;
  void forgetImports(database);
  // Their runners have ended, because a folder has one process.
  await releaseJobs(embeddedRecords(database, jobs), Number.POSITIVE_INFINITY);
  const snapshots = opened.use(embeddedSnapshots(reader));
  const answer = reader.prepare('SELECT count(*) FROM (SELECT 1 FROM jobs LIMIT 1)');
  const stack = opened.move();
  return {
    place: `the data folder ${dataDir}`,
    smallBlobs: smallBlobs(reader, database.writes),
    wasInterrupted: database.wasInterrupted,
    rows: { verified: embeddedRows(reader, 'verified'), unverified: embeddedRows(reader, 'unverified') },
    graphReads: graphReads(reader),
    snapshot: () => snapshots.open(),
    statements: embeddedStatements(database),
    graphs: embeddedGraphs(database),
    graphImports: embeddedGraphImports(database),
    spools: spoolFiles(stagingIn(dataDir)),
    of: (declared) => embeddedRecords(database, declared),
    termsOf: (declared) => embeddedTermSearch(reader, declared),
    exchangeSeries: embeddedExchangeSeries(reader),
    unlogged: embeddedUnlogged(database),
    loggedRows: embeddedLoggedRows(database),
    failure: database.writes.failure,
    now: () => new Date(),
    async ready() {
      database.writes.check();
      answer.get();
      await probeFolder(stagingIn(dataDir));
      // Small blobs are read without it.
      assertBlobFolder(dataDir);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
