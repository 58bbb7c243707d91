import { setTimeout as delay } from 'node:timers/promises';
import { type Job, Queue, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { ServiceError } from '../src/domain/errors.ts';
import type { JobHandler, JobQueue, JobRef } from '../src/domain/jobs/jobs.ts';

export interface BullQueueOptions {
  /** `redis://` or `rediss://`. It may hold a password, which no sentence has. */
  readonly url: string;
  /** What the names of all keys begin with. */
  readonly prefix: string;
  /** Jobs that this process works on at once. */
  readonly concurrency: number;
  /** Between a failed attempt and the next one, in milliseconds; doubled each time. */
  readonly backOffMs?: number;
  /** After so many milliseconds without a word from its worker a job is taken up by another one. */
  readonly silentMs?: number;
  /** Told what goes wrong with the connection. */
  readonly onError: (error: Error) => void;
}

const queueName = 'jobs';
const attempts = 5;
const commandMs = 5_000;
const reconnectMs = 1_000;
/** So long Redis may take to hear that a worker goes. */
const goodbyeMs = 5_000;
const doneForSeconds = 24 * 3_600;
const failedForSeconds = 7 * doneForSeconds;
/** What Redis says to whom it will not have, however often that one comes back. */
const refusalWords = /^(?:NOAUTH|WRONGPASS|NOPERM|ERR (?:DB index|invalid DB index|invalid password))/;

/** Jobs in Redis, for any number of processes. */
export class BullQueue implements JobQueue {
  readonly #options: BullQueueOptions;
  readonly #producer: Redis;
  readonly #queue: Queue;
  readonly #end = new AbortController();
  #consumer: Redis | undefined;
  #worker: Worker | undefined;
  readonly #running = new Set<Promise<void>>();

  private constructor(options: BullQueueOptions, producer: Redis) {
    this.#options = options;
    this.#producer = producer;
    const { prefix, backOffMs: delay = 1_000, onError } = options;
    this.#queue = new Queue(queueName, {
      connection: producer,
      prefix,
      defaultJobOptions: {
        attempts,
        backoff: { type: 'exponential', delay },
        removeOnComplete: { age: doneForSeconds },
        removeOnFail: { age: failedForSeconds },
      },
    });
    this.#queue.on('error', onError);
  }

  /**
   * @throws Error when Redis does not answer: what is in the way of that.
   * @throws ServiceError `unavailable` when it refuses the user, or has no such database.
   */
  static async open(options: BullQueueOptions): Promise<BullQueue> {
    const producer = connection(options, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: commandMs,
    });
    let problem: Error | undefined;
    producer.on('error', (error) => {
      problem = error;
    });
    try {
      await producer.connect();
      // Its client goes on in another database when there is none of that number.
      if (problem) throw problem;
      return new BullQueue(options, producer);
    } catch (error) {
      producer.disconnect();
      throw asRefusal(problem ?? error);
    }
  }

  /**
   * What Redis does when its memory is full; BullMQ loses jobs unless that is `noeviction`. undefined: it does not say.
   * @throws ServiceError `unavailable` when the user may not ask, as BullMQ does, too.
   */
  async evictionPolicy(): Promise<string | undefined> {
    try {
      return /^maxmemory_policy:(\S+)/m.exec(await this.#producer.info('memory'))?.[1];
    } catch (error) {
      throw asRefusal(error);
    }
  }

  async ready(): Promise<void> {
    try {
      await this.#producer.ping();
    } catch (cause) {
      throw new ServiceError('unavailable', 'Redis does not answer.', { cause, retryAfter: 1 });
    }
  }

  /** A job is known by its record's id until it is done: it does not come twice meanwhile. */
  async enqueue({ kind, id }: JobRef): Promise<void> {
    try {
      await this.#queue.add(kind, { id }, { deduplication: { id } });
    } catch (cause) {
      throw new ServiceError('unavailable', 'The job could not be queued.', { cause, retryAfter: 1 });
    }
  }

  work(handler: JobHandler): void {
    this.#consumer = connection(this.#options, { maxRetriesPerRequest: null });
    void this.#keepWorking(this.#consumer, handler).catch(this.#options.onError);
  }

  /** A worker whose connection breaks while it starts never works: it is replaced. */
  async #keepWorking(consumer: Redis, handler: JobHandler): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
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
    const { prefix, concurrency, onError, silentMs = 30_000 } = this.#options;
    const run = async ({ name, data }: Job<{ id: string }>) => {
      const running = handler({ kind: name, id: data.id }, this.#end.signal);
      this.#running.add(running);
      await running.finally(() => this.#running.delete(running));
    };
    const worker = new Worker(queueName, run, {
      connection: consumer,
      prefix,
      concurrency,
      autorun: false,
      lockDuration: silentMs,
      stalledInterval: silentMs,
      maxStalledCount: attempts,
    });
    return worker.on('error', onError);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort(new Error('The service is stopping.'));
    // Without Redis there is nobody to say goodbye to, and its client would wait for as long as it is away.
    const goodbye = this.#worker?.close(this.#consumer?.status !== 'ready');
    await Promise.race([goodbye, delay(goodbyeMs, undefined, { ref: false })]);
    await Promise.allSettled(this.#running);
    this.#consumer?.disconnect();
    await this.#queue.close();
    this.#producer.disconnect();
  }
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !refusalWords.test(error.message)) return error;
  const reason = error.message.replace(/\.$/, '');
  // Not with its cause: that has the command, with the password in it.
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
