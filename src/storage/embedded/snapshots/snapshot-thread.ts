import { workerData } from 'node:worker_threads';
import { serve } from '../threads/serve.ts';
import { snapshotOperations } from './snapshot-operations.ts';

/** The snapshot thread keeps the reads of exports away from the event loop that answers requests. */
serve({
  operations: snapshotOperations(workerData.file),
  async perform(call) {
    try {
      call.done(await call.run());
    } catch (error) {
      call.failed(error);
    }
  },
});
