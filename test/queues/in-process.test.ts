import { describe } from 'vitest';
import { InProcessQueue } from '../../queues/in-process.ts';
import { jobQueueContract } from '../contract/job-queue.ts';

describe('the queue in the process', () => {
  jobQueueContract((options) => new InProcessQueue(options));
});
