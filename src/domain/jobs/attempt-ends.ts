import type { Job, JobAttempt, JobQueue, JobRef } from './jobs.ts';

/** Tells requests of this process when an attempt at a job has ended in it. */
export class AttemptEnds {
  readonly #ends = new EventTarget();

  /** The same queue, whose handler announces the ends of its attempts. */
  announced(queue: Pick<JobQueue, 'enqueue' | 'work'>) {
    return {
      enqueue: (job: JobRef) => queue.enqueue(job),
      work: (handler: JobAttempt) =>
        queue.work(async (job, signal) => {
          let detail: Job | undefined;
          try {
            detail = await handler(job, signal);
          } finally {
            this.#ends.dispatchEvent(new CustomEvent(job.id, { detail }));
          }
        }),
    };
  }

  /**
   * Waits for the next end, or until the signal is aborted.
   * @returns the job after the attempt, if that is known.
   */
  async next(id: JobRef['id'], signal: AbortSignal): Promise<Job | undefined> {
    if (signal.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<Event>();
    this.#ends.addEventListener(id, resolve, { once: true, signal });
    signal.addEventListener('abort', resolve, { once: true });
    const end = await promise;
    return end instanceof CustomEvent ? end.detail : undefined;
  }
}
