import { setTimeout as delay } from 'node:timers/promises';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { ServiceError } from '../src/domain/errors.ts';
import type { JobHandler, JobQueue, JobRef } from '../src/domain/jobs/jobs.ts';

export interface BullQueueOptions {
  /** `redis://` or `rediss://`. It may contain a password, so messages never include it. */
  readonly url: string;
  readonly prefix: string;
  readonly concurrency: number;
  /** Delay before the first retry. It doubles each time. */
  readonly backOffMs?: number;
  /** How long a worker may be silent before another one takes over its job. */
  readonly silentMs?: number;
  readonly onError: (error: Error) => void;
}

const queueName = 'jobs';
const attempts = 5;
const commandMs = 5_000;
const reconnectMs = 1_000;
const closeMs = 5_000;
/** Errors of Redis that a retry does not cure. */
const permanentErrors = /^(?:NOAUTH|WRONGPASS|NOPERM|ERR (?:DB index|invalid DB index|invalid password))/;

/** A job queue in Redis, for any number of processes. */
export class BullQueue implements JobQueue {
  readonly #options: BullQueueOptions;
  readonly #producer: Redis;
  readonly #queue: Queue;
  readonly #end = new AbortController();
  #consumer: Redis | undefined;
  #worker: Worker | undefined;
  #isDraining = false;
  readonly #running = new Set<Promise<unknown>>();

  private constructor(options: BullQueueOptions, producer: Redis) {
    this.#options = options;
    this.#producer = producer;
    const { prefix, backOffMs: delay = 1_000, onError } = options;
    const backoff = { type: 'exponential', delay };
    // The records of jobs say how they ended.
    const defaultJobOptions = { attempts, backoff, removeOnComplete: true, removeOnFail: true };
    this.#queue = new Queue(queueName, { connection: producer, prefix, defaultJobOptions });
    this.#queue.on('error', onError);
  }

  /**
   * @throws Error when Redis does not answer.
   * @throws ServiceError `unavailable` when Redis refuses the user or does not have the database.
   */
  static async open(options: BullQueueOptions): Promise<BullQueue> {
    const limits = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: commandMs };
    const producer = connection(options, limits);
    let problem: Error | undefined;
    producer.on('error', (error) => {
      problem = error;
    });
    try {
      await producer.connect();
      // If the database does not exist, ioredis only emits an error and goes on in another database.
      if (problem) throw problem;
      return new BullQueue(options, producer);
    } catch (error) {
      producer.disconnect();
      throw asServiceError(problem ?? error);
    }
  }

  /**
   * The maxmemory-policy of Redis, if it tells. BullMQ loses jobs unless it is `noeviction`.
   * @throws ServiceError `unavailable` when the user may not run INFO, which BullMQ needs too.
   */
  async evictionPolicy(): Promise<string | undefined> {
    try {
      return /^maxmemory_policy:(\S+)/m.exec(await this.#producer.info('memory'))?.[1];
    } catch (error) {
      throw asServiceError(error);
    }
  }

  async ready(): Promise<void> {
    try {
      await this.#producer.ping();
    } catch (cause) {
      throw new ServiceError('unavailable', 'Redis does not answer.', { cause, retryAfter: 1 });
    }
  }

  /** Deduplicates by the id of the job's record until the job is done. */
  async enqueue({ kind, id }: JobRef, place?: 'front'): Promise<void> {
    try {
      await this.#queue.add(kind, { id }, { jobId: id, lifo: place === 'front' });
    } catch (cause) {
      throw new ServiceError('unavailable', 'The job could not be queued.', { cause, retryAfter: 1 });
    }
  }

  work(handler: JobHandler): void {
    this.#consumer = connection(this.#options, { maxRetriesPerRequest: null });
    void this.#keepWorking(this.#consumer, handler).catch(this.#options.onError);
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#worker?.pause().catch(this.#options.onError);
  }

  /** Replaces a worker whose connection broke at start, because such a worker never runs. */
  async #keepWorking(consumer: Redis, handler: JobHandler): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted && !this.#isDraining) {
      const worker = this.#newWorker(consumer, handler);
      this.#worker = worker;
      try {
        await worker.waitUntilReady();
        await worker.run();
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError(error as Error);
        await worker.close(true);
        await delay(reconnectMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #newWorker(consumer: Redis, handler: JobHandler): Worker {
    const { prefix, concurrency, onError, silentMs = 15_000 } = this.#options;
    const run = async ({ name, data }: Job<{ id: string }>) => {
      const running = handler({ kind: name, id: data.id }, this.#end.signal);
      this.#running.add(running);
      await running.finally(() => this.#running.delete(running));
    };
    const stalling = { lockDuration: silentMs, stalledInterval: silentMs / 3, maxStalledCount: attempts };
    const options = { connection: consumer, prefix, concurrency, autorun: false, ...stalling };
    return new Worker(queueName, run, options).on('error', onError);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort(new Error('The service is stopping.'));
    // Without Redis the close is forced, because it would wait until Redis is back.
    const closed = this.#worker?.close(this.#consumer?.status !== 'ready');
    await Promise.race([closed, delay(closeMs, undefined, { ref: false })]);
    await Promise.allSettled(this.#running);
    this.#consumer?.disconnect();
    await this.#queue.close();
    this.#producer.disconnect();
  }
}

function asServiceError(error: unknown): unknown {
  if (!(error instanceof Error) || !permanentErrors.test(error.message)) return error;
  const reason = error.message.replace(/\.$/, '');
  // Without the cause, which contains the command and so the password.
  return new ServiceError('unavailable', `Redis cannot be used: ${reason}. Correct CAIRN_REDIS_URL.`);
}

function connection({ url, onError }: BullQueueOptions, more: RedisOptions): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: commandMs,
    retryStrategy: (times) => Math.min(times * 100, reconnectMs),
    ...more,
  });
  redis.on('error', onError);
  return redis;
}
