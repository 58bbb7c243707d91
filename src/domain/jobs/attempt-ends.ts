import type { JobQueue, JobRef } from './jobs.ts';

/** Tells requests of this process when an attempt at a job has ended in it. */
export class AttemptEnds {
  readonly #ends = new EventTarget();

  /** The same queue, whose handler announces the ends of its attempts. */
  announced(queue: Pick<JobQueue, 'enqueue' | 'work'>): Pick<JobQueue, 'enqueue' | 'work'> {
    return {
      enqueue: (job) => queue.enqueue(job),
      work: (handler) =>
        queue.work((job, signal) =>
          handler(job, signal).finally(() => this.#ends.dispatchEvent(new Event(job.id))),
        ),
    };
  }

  /** Resolves at the next end, and when the signal is aborted. */
  async next(id: JobRef['id'], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#ends.addEventListener(id, resolve, { once: true, signal });
    signal.addEventListener('abort', resolve, { once: true });
    await promise;
  }
}
