import pRetry from 'p-retry';
import { InProcessQueue } from '../queues/in-process.ts';
import { type CredentialParts, signedListPorts } from './composition/credentials.ts';
import { hashBlobs } from './composition/hash-blobs.ts';
import { indexFolders } from './composition/index-folders.ts';
import { keepLogs, openServiceLogs } from './composition/log.ts';
import { repeatedly } from './composition/repeatedly.ts';
import { openServiceSigner, openStatementPool } from './composition/signing.ts';
import { observedIdentifier } from './composition/telemetry/observed-identifier.ts';
import { observedKind } from './composition/telemetry/observed-jobs.ts';
import { openObservedStore } from './composition/telemetry/open-observed-store.ts';
import { collections } from './domain/collections/all.ts';
import { removeExpired } from './domain/collections/expiry.ts';
import { messageOf, ServiceError } from './domain/errors.ts';
import { ContextKeeper, ContextRegistry } from './domain/integrity/contexts/contexts.ts';
import { ContextWorld } from './domain/integrity/contexts/world.ts';
import { statusEntries } from './domain/integrity/credentials/status-entries.ts';
import { requestUnsignedLists, statusListJobs } from './domain/integrity/credentials/status-list-job.ts';
import { manifestExports, removeOrphanedResults } from './domain/integrity/exports/export-work.ts';
import { attachedBlobs } from './domain/integrity/manifest/attached-blobs.ts';
import { logsForExport } from './domain/integrity/manifest/published-heads.ts';
import { dueJobs, releaseJobs } from './domain/jobs/job-records.ts';
import { type JobKind, type JobRunnerPorts, jobRunner, silentMs } from './domain/jobs/job-runner.ts';
import { type JobAttempt, type JobQueue, jobs } from './domain/jobs/jobs.ts';
import { logReading } from './domain/log/reading.ts';
import { logRecords } from './domain/log/records.ts';
import type { Log } from './platform/log.ts';
import type { Settings } from './platform/settings/setting-table.ts';
import { noTelemetry, type Telemetry } from './platform/telemetry/telemetry.ts';
import type { Store } from './storage/open.ts';

const sweepBatch = 1_000;
/** How long before a job is picked up again that the queue lost, or whose process has died. */
const sweepMs = 5_000;
const cleanUpMs = 60_000;
const retryMs = 250;

interface WorkedQueue extends Pick<JobQueue, 'enqueue'> {
  work(handler: JobAttempt): void;
}
type QueueSettings = Pick<Settings, 'jobs' | 'redisUrl'>;

/** Whether processes share their jobs. Otherwise each process works on its own jobs. */
export function sharesJobs({ jobs, redisUrl }: QueueSettings): boolean {
  return redisUrl !== null && jobs !== 'in-process';
}

/**
 * Opens the queue that the settings choose. Waits for Redis.
 * @throws ServiceError `unavailable`, with `retryAfter` if Redis was not reached in time.
 */
export async function openJobQueue(settings: Settings, log: Log): Promise<JobQueue> {
  const { redisUrl: url, redisPrefix: prefix, jobConcurrency: concurrency } = settings;
  if (url === null || !sharesJobs(settings)) return new InProcessQueue({ concurrency });
  const onError = (err: Error) => log.warn({ err }, 'The connection to Redis has a problem.');
  const { BullQueue } = await import('../queues/bullmq.ts');
  await using opened = new AsyncDisposableStack();
  const opening = pRetry(() => BullQueue.open({ url, prefix, concurrency, onError }), {
    retries: Number.POSITIVE_INFINITY,
    maxRetryTime: settings.startWait,
    minTimeout: retryMs,
    factor: 1,
    onFailedAttempt: ({ error }) => {
      if (error instanceof ServiceError) throw error;
      log.warn(`Waiting for Redis: ${messageOf(error)}`);
    },
  });
  const queue = opened.use(
    await opening.catch((cause: unknown) => failUnreachable(settings.startWait, cause)),
  );
  const policy = await queue.evictionPolicy();
  if (policy !== undefined && policy !== 'noeviction')
    log.warn(
      { policy },
      'Redis may drop jobs when its memory is full. Set its maxmemory-policy to noeviction.',
    );
  opened.move();
  return queue;
}

function failUnreachable(waitMs: number, cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  const reason = messageOf(cause).replace(/\.$/, '');
  const message = `Redis was not reached within ${waitMs / 1_000} s (CAIRN_START_WAIT): ${reason}. Start it, or correct CAIRN_REDIS_URL.`;
  throw new ServiceError('unavailable', message, { cause, retryAfter: 1 });
}

interface JobWork extends Pick<Settings, 'maxExportBytes'>, Pick<CredentialParts, 'identifier' | 'signer'> {
  readonly log: Log;
  readonly telemetry?: Telemetry;
}

/**
 * Works on jobs from the queue, enqueues jobs that the queue lost, hashes blobs and indexes folders that wait for it, and removes expired jobs,
 * results and sessions.
 * Disposing ends the sweeps. Disposing of the queue ends the work, and another process takes over running jobs.
 */
export function workOnJobs(
  store: Store,
  queue: WorkedQueue,
  { log, maxExportBytes: mostBytes, identifier, signer, telemetry = noTelemetry }: JobWork,
): AsyncDisposable {
  const contexts = new ContextKeeper(store.blobs, ContextWorld.bundled());
  const records = store.of(jobs);
  const reading = logReading(logRecords(store), store.loggedRows);
  const logs = logsForExport({ rows: store.rows, reading });
  const ports = { ...store, contexts, attachedBlobs: store.of(attachedBlobs) };
  const signedLists = signedListPorts(store, { identifier, signer });
  const kinds = [
    manifestExports(ports, store.exportResults, { jobs: records, mostBytes, logs }) as JobKind,
    statusListJobs(signedLists) as JobKind,
  ].map((kind) => observedKind(kind, telemetry));
  const onFailure: JobRunnerPorts['onFailure'] = ({ id, kind, attempts }, err) =>
    log.warn({ job: id, kind, attempts, err }, 'An attempt at a job has failed.');
  const newId = () => crypto.randomUUID();
  queue.work(logged(jobRunner({ jobs: records, kinds, now: store.now, newId, onFailure }), log));
  const onError = (err: unknown) => log.warn({ err }, 'The sweep over the jobs has failed.');
  const stack = new AsyncDisposableStack();
  stack.use(repeatedly(sweepMs, () => sweep(store, queue).catch(onError)));
  stack.use(repeatedly(cleanUpMs, () => cleanUp(store).catch(onError)));
  stack.use(hashBlobs(store.blobHashing, log));
  stack.use(indexFolders(store, log));
  return stack;
}

/** Writes a line for each job that has ended. */
function logged(attempt: JobAttempt, log: Log): JobAttempt {
  return async (job, signal) => {
    const startedAt = performance.now();
    const ended = await attempt(job, signal);
    if (ended && ended.state !== 'waiting') {
      const { id, kind, state, attempts, failure } = ended;
      const ms = Math.round(performance.now() - startedAt);
      log.info({ job: id, kind, result: state, code: failure?.code, attempts, ms }, 'job');
    }
    return ended;
  };
}

async function sweep(store: Store, queue: Pick<JobQueue, 'enqueue'>): Promise<void> {
  const records = store.of(jobs);
  await requestUnsignedLists({ jobs: records, queue, now: store.now }, store.of(statusEntries));
  const silentSince = store.now().getTime() - silentMs;
  const released = await releaseJobs(records, silentSince);
  for (const job of released.toReversed()) await queue.enqueue(job, 'front');
  for (const job of await dueJobs(records, silentSince, sweepBatch)) await queue.enqueue(job);
}

async function cleanUp(store: Store): Promise<void> {
  await removeExpired(store, collections, store.now().getTime());
  await removeOrphanedResults(store.of(jobs), store.exportResults);
}

/** Removes expired records in a process that does not work on jobs. */
export function removeOldRecords(store: Store, log: Log): AsyncDisposable {
  const onError = (err: unknown) => log.warn({ err }, 'Removing expired records has failed.');
  return repeatedly(cleanUpMs, () => removeExpired(store, collections, store.now().getTime()).catch(onError));
}

/** @returns `failure` aborts with a ServiceError when the process has to be restarted. */
export async function openJobService(settings: Settings, log: Log) {
  await using opened = new AsyncDisposableStack();
  const { store, telemetry } = opened.use(await openObservedStore(settings, log));
  const queue = opened.use(await openJobQueue(settings, log));
  const signer = await openServiceSigner(settings, log);
  const registry = new ContextRegistry(ContextWorld.bundled(), []);
  const pool = opened.use(openStatementPool(settings, log, registry));
  const identifier = observedIdentifier(pool, telemetry);
  opened.use(workOnJobs(store, queue, { ...settings, log, identifier, signer, telemetry }));
  opened.use(keepLogs(store, await openServiceLogs(store, settings, log), log));
  const stack = opened.move();
  const { failure } = store;
  return { failure, drain: () => queue.drain(), [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
