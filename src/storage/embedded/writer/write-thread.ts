import '../../../domain/older-runtimes.ts';
import { workerData } from 'node:worker_threads';
import { openWriter } from '../connections.ts';
import { sortWrites } from '../statements/row-writes.ts';
import { serve } from '../threads/operation-thread.ts';
import { runTogether } from './transactions.ts';
import { writeOperations } from './write-operations.ts';

/**
 * The writer thread keeps inserts, syncs and checkpoints away from the event loop that answers requests. The writes of
 * one message share a transaction.
 */
const database = openWriter(workerData.file);
const sorts = sortWrites(database);
serve({
  operations: writeOperations(database, sorts),
  perform: (first, next) =>
    runTogether(database, first, next, () => {
      for (const writes of Object.values(sorts)) writes.settle();
    }),
  close: () => database.close(),
});
