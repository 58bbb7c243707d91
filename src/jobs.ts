import { setTimeout as delay } from 'node:timers/promises';
import { InProcessQueue } from '../queues/in-process.ts';
import { messageOf, ServiceError } from './domain/errors.ts';
import { ContextKeeper } from './domain/integrity/contexts/contexts.ts';
import { ContextWorld } from './domain/integrity/contexts/world.ts';
import { manifestExports, removeStrayResults } from './domain/integrity/exports/export-work.ts';
import { type JobRunnerPorts, jobRunner, silentMs } from './domain/jobs/job-runner.ts';
import type { JobQueue } from './domain/jobs/jobs.ts';
import type { Log } from './platform/log.ts';
import type { Settings } from './platform/settings/setting-table.ts';
import { openStore, type Store } from './storage/open.ts';

const sweptAtOnce = 1_000;
/** For so long a job waits that the queue has lost, or never got. */
const sweepMs = 5_000;
const tidyMs = 60_000;
const pauseMs = 250;

type QueueSettings = Pick<Settings, 'jobs' | 'redisUrl'>;

/** Whether any process can work on the jobs of all: otherwise each has to work on its own. */
export function sharesJobs({ jobs, redisUrl }: QueueSettings): boolean {
  return redisUrl !== null && jobs !== 'in-process';
}

/**
 * The one place where a queue is chosen. The start waits for Redis.
 * @throws ServiceError `unavailable`, with `retryAfter` when it was not reached in time.
 */
export async function openJobQueue(settings: Settings, log: Log): Promise<JobQueue> {
  const { redisUrl: url, redisPrefix: prefix, jobConcurrency: concurrency } = settings;
  if (url === null || !sharesJobs(settings)) return new InProcessQueue({ concurrency });
  const onError = (err: Error) => log.warn({ err }, 'Something is wrong with the connection to Redis.');
  const { BullQueue } = await import('../queues/bullmq.ts');
  await using opened = new AsyncDisposableStack();
  const queue = opened.use(
    await patiently(settings.startWait, log, () => BullQueue.open({ url, prefix, concurrency, onError })),
  );
  const policy = await queue.evictionPolicy();
  if (policy !== undefined && policy !== 'noeviction')
    log.warn(
      { policy },
      'Redis may drop jobs when its memory is full: set its maxmemory-policy to noeviction.',
    );
  opened.move();
  return queue;
}

async function patiently<Result>(waitMs: number, log: Log, open: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      return await open();
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      if (performance.now() > until) throw unreachable(waitMs, cause);
      log.warn(`Waiting for Redis: ${messageOf(cause)}`);
    }
    await delay(pauseMs);
  }
}

function unreachable(waitMs: number, cause: unknown): ServiceError {
  const message =
    `Redis was not reached within ${waitMs / 1_000} s (CAIRN_START_WAIT): ${messageOf(cause).replace(/\.$/, '')}. ` +
    'Start it, or correct CAIRN_REDIS_URL.';
  return new ServiceError('unavailable', message, { cause, retryAfter: 1 });
}

/**
 * Works on jobs: takes them from the queue, brings to the queue what it has lost, and removes what has had its time,
 * sessions too.
 * Disposing ends the sweep; disposing of the queue ends the work, and the next process takes up what was running.
 */
export function workOnJobs(store: Store, queue: JobQueue, log: Log): AsyncDisposable {
  const contexts = new ContextKeeper(store.blobs, ContextWorld.bundled());
  const kinds = [manifestExports({ ...store, contexts }, store.exportResults)];
  const onFailure: JobRunnerPorts['onFailure'] = ({ id, kind, attempts }, err) =>
    log.warn({ job: id, kind, attempts, err }, 'An attempt at a job has failed.');
  queue.work(
    jobRunner({ jobs: store.jobs, kinds, now: store.now, newId: () => crypto.randomUUID(), onFailure }),
  );
  const onError = (err: unknown) => log.warn({ err }, 'Looking after the jobs has failed.');
  const stack = new AsyncDisposableStack();
  stack.use(repeatedly(sweepMs, () => enqueueDue(store, queue).catch(onError)));
  stack.use(repeatedly(tidyMs, () => tidyUp(store).catch(onError)));
  return stack;
}

async function enqueueDue({ jobs, now }: Store, queue: JobQueue): Promise<void> {
  for (const job of await jobs.due(now().getTime() - silentMs, sweptAtOnce)) await queue.enqueue(job);
}

async function tidyUp({ jobs, exportResults, sessions, now: clock }: Store): Promise<void> {
  const now = clock().getTime();
  for (const { id } of await jobs.expired(now, sweptAtOnce)) await jobs.remove(id);
  await removeStrayResults(jobs, exportResults);
  await sessions.removeExpired(now);
}

/** Removes sessions that are over, where nobody works on jobs. */
export function removeOldSessions({ sessions }: Pick<Store, 'sessions'>, log: Log): AsyncDisposable {
  const onError = (err: unknown) => log.warn({ err }, 'Removing sessions that are over has failed.');
  return repeatedly(tidyMs, async () => {
    await sessions.removeExpired(Date.now()).catch(onError);
  });
}

/** Does something now and ever again, once at a time, until disposed of. */
function repeatedly(everyMs: number, work: () => Promise<void>): AsyncDisposable {
  const end = new AbortController();
  const run = async () => {
    while (!end.signal.aborted) {
      await work();
      await delay(everyMs, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}

/** A process that works on jobs and answers no requests. */
export async function openJobService(settings: Settings, log: Log): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openStore(settings, (sentence) => log.warn(sentence)));
  const queue = opened.use(await openJobQueue(settings, log));
  opened.use(workOnJobs(store, queue, log));
  const stack = opened.move();
  return { [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
