import { EventEmitter, once } from 'node:events';
import type { JobQueue, JobRef } from './jobs.ts';

/** Tells requests of this process when an attempt at a job has ended in it. */
export class AttemptEnds {
  readonly #ends = new EventEmitter();

  /** The same queue, whose handler announces the ends of its attempts. */
  announced(queue: Pick<JobQueue, 'enqueue' | 'work'>): Pick<JobQueue, 'enqueue' | 'work'> {
    return {
      enqueue: (job) => queue.enqueue(job),
      work: (handler) =>
        queue.work((job, signal) => handler(job, signal).finally(() => this.#ends.emit(job.id))),
    };
  }

  /** Resolves at the next end, and when the signal is aborted. */
  async next(id: JobRef['id'], signal: AbortSignal): Promise<void> {
    await once(this.#ends, id, { signal }).catch(() => undefined);
  }
}
