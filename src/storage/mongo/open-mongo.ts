import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folderError } from '../file-errors.ts';
import { probeFolder } from '../folder-probe.ts';
import { repeat } from '../repeat.ts';
import { spoolFiles } from '../spool-files.ts';
import type { StoreDatabase } from '../store.ts';
import { mongoRecords } from './collections/records.ts';
import { mongoTermSearch } from './collections/term-search.ts';
import { watchConnection } from './connection-watch.ts';
import type { Database, DatabaseAddress } from './database.ts';
import { translated } from './errors.ts';
import { mongoExchangeSeries } from './exchanges/exchange-series.ts';
import { mongoGraphImports, sweepImports } from './graphs/graph-imports.ts';
import { mongoGraphs } from './graphs/graphs.ts';
import { RegisteredGraphs } from './graphs/registered-graphs.ts';
import { Intents } from './log/intents.ts';
import { mongoLoggedRows, mongoUnlogged } from './log/unlogged.ts';
import { openDatabase, type Patience } from './open-database.ts';
import { mongoStatementRows } from './statements/statement-rows.ts';
import { mongoStatements } from './statements/statement-writes.ts';
import { storeIndexes } from './store-indexes.ts';

/** All processes remove orphans, at the start and then hourly. */
const sweepEveryMs = 3_600_000;

/**
 * Opens a database. Any number of processes can do so.
 * @param folder for temporary files. Processes can share it.
 * @throws ServiceError `unavailable`, `storage_full`. The message names the server or the folder and what to do.
 * `retryAfter` is set when the server was not reached in time.
 */
export async function openMongoDatabase(
  address: DatabaseAddress,
  folder: string,
  patience: Patience,
): Promise<StoreDatabase & { readonly connection: Database }> {
  await using opened = new AsyncDisposableStack();
  const spoolFolder = await openSpoolFolder(folder);
  const database = opened.use(await openDatabase(address, storeIndexes, patience));
  const { failure } = opened.use(watchConnection(database));
  const registered = new RegisteredGraphs(database);
  opened.use(repeat(sweepEveryMs, () => sweepImports(database, database.now())));
  const stack = opened.move();
  const intents = new Intents(database);
  const rows = mongoStatementRows(database, registered);
  return {
    connection: database,
    place: database.place,
    wasInterrupted: false,
    rows,
    snapshot: async () => ({ rows, graphReads: registered, [Symbol.asyncDispose]: async () => {} }),
    statements: mongoStatements(database, registered, intents),
    graphs: mongoGraphs(database, registered),
    graphReads: registered,
    graphImports: mongoGraphImports(database, intents),
    spools: spoolFiles(spoolFolder),
    of: (declared) => mongoRecords(database, declared),
    termsOf: (declared) => mongoTermSearch(database, declared),
    exchangeSeries: mongoExchangeSeries(database),
    unlogged: mongoUnlogged(database, registered),
    loggedRows: mongoLoggedRows(database),
    failure,
    connections: () => database.connections(),
    now: () => database.now(),
    async ready() {
      await translated(() => database.ping());
      await probeFolder(spoolFolder);
    },
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
