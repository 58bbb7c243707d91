import PQueue from 'p-queue';
import pRetry from 'p-retry';
import type { JobHandler, JobQueue, JobRef } from '../src/domain/jobs/jobs.ts';

export interface InProcessQueueOptions {
  readonly concurrency: number;
  /** Delay before the first retry. It doubles each time. */
  readonly backOffMs?: number;
}

const attempts = 5;

/** A job queue in memory. When the process ends, the job records remain. */
export class InProcessQueue implements JobQueue {
  readonly #queue: PQueue;
  readonly #backOffMs: number;
  readonly #ids = new Set<string>();
  /** The priority of the last job that was put to the front. */
  #front = 0;
  readonly #end = new AbortController();
  #handler: JobHandler | undefined;

  constructor({ concurrency, backOffMs = 1_000 }: InProcessQueueOptions) {
    this.#queue = new PQueue({ concurrency, autoStart: false });
    this.#backOffMs = backOffMs;
  }

  async enqueue(job: JobRef, place?: 'front'): Promise<void> {
    if (this.#end.signal.aborted || this.#ids.has(job.id)) return;
    this.#ids.add(job.id);
    if (place === 'front') this.#front += 1;
    const priority = place === 'front' ? this.#front : 0;
    void this.#runWithRetries(job, priority).finally(() => this.#ids.delete(job.id));
  }

  work(handler: JobHandler): void {
    this.#handler = handler;
    this.#queue.start();
  }

  async ready(): Promise<void> {}

  async drain(): Promise<void> {
    this.#queue.pause();
    await this.#queue.onPendingZero();
  }

  /** Other jobs run between two attempts. The next sweep over the records picks up a job whose attempts all failed. */
  async #runWithRetries(job: JobRef, priority: number): Promise<void> {
    const { signal } = this.#end;
    const options = { retries: attempts - 1, minTimeout: this.#backOffMs, signal };
    await pRetry(() => this.#queue.add(() => this.#attempt(job), { priority }), options).catch(() => {
      // The handler has recorded the failure.
    });
  }

  /** Wraps every error, because p-retry gives up on a TypeError. */
  async #attempt(job: JobRef): Promise<void> {
    try {
      await this.#handler?.(job, this.#end.signal);
    } catch (cause) {
      throw new Error('The attempt has failed.', { cause });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('The service is stopping.'));
    this.#queue.clear();
    await this.#queue.onIdle();
  }
}
