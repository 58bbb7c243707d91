import '../../../domain/older-runtimes.ts';
import { constants, getPriority, platform, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { serve } from '../threads/operation-thread.ts';
import { snapshotOperations } from './snapshot-operations.ts';

/** How much less urgent it is than the threads that answer and write. */
const niceness = 5;
// Elsewhere this would change the whole process.
if (platform() === 'linux') setPriority(Math.min(getPriority() + niceness, constants.priority.PRIORITY_LOW));

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
