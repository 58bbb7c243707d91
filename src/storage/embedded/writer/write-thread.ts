import { workerData } from 'node:worker_threads';
import { openWriter } from '../connections.ts';
import { serve } from '../threads/serve.ts';
import { runTogether } from './transactions.ts';
import { writeOperations } from './write-operations.ts';

/**
 * The writer thread keeps inserts, syncs and checkpoints away from the event loop that answers requests. The writes of
 * one message share a transaction.
 */
const database = openWriter(workerData.file);
serve({
  operations: writeOperations(database),
  perform: (first, next) => runTogether(database, first, next),
  close: () => database.close(),
});
