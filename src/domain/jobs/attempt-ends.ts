import type { Job, JobAttempt, JobQueue, JobRef } from './jobs.ts';

type Tell = (job: Job | undefined) => void;

/** Tells requests of this process when an attempt at a job has ended in it. */
export class AttemptEnds {
  /** Those who wait, by the id of their job. */
  readonly #waiting = new Map<JobRef['id'], Set<Tell>>();

  /** The same queue, whose handler announces the ends of its attempts. */
  announced(queue: Pick<JobQueue, 'enqueue' | 'work'>) {
    return {
      enqueue: (...job: Parameters<JobQueue['enqueue']>) => queue.enqueue(...job),
      work: (handler: JobAttempt) =>
        queue.work(async (job, signal) => {
          let ended: Job | undefined;
          try {
            ended = await handler(job, signal);
          } finally {
            for (const tell of this.#waiting.get(job.id) ?? []) tell(ended);
          }
        }),
    };
  }

  /** Waits for the next end, or until the signal is aborted. @returns the job after the attempt, if that is known. */
  async next(id: JobRef['id'], signal: AbortSignal): Promise<Job | undefined> {
    if (signal.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<Job | undefined>();
    const waiting = this.#waiting.getOrInsertComputed(id, () => new Set());
    waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    try {
      return await promise;
    } finally {
      waiting.delete(resolve);
      if (waiting.size === 0) this.#waiting.delete(id);
    }
  }
}
