import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import type { ErrorCode } from '../errors.ts';

const time = z.int();

/** Work that continues after its request was answered. The record is the truth; a queue only wakes workers. */
export const jobs = collection('jobs', {
  shape: z
    .object({
      id: z.uuid(),
      kind: z.string(),
      owner: z.object({ issuer: z.string(), subject: z.string() }),
      state: z.enum(['waiting', 'running', 'done', 'failed']),
      /** Defined by the kind. It never changes. */
      request: z.unknown(),
      /** What the work is and whose, so that equal requests find it. Null once the job has begun, or if it is not shared. */
      workKey: z.string().nullable().default(null),
      /** Defined by the kind: the progress, and finally the result; null before the first report. */
      progress: z.unknown(),
      /** The `traceparent` of the request that asked for the work; null if that was not traced. */
      traceparent: z.string().nullable().default(null),
      attempts: z.int().min(0),
      /** The runner of a `running` job, and the time of its last report. */
      runner: z.string().nullable(),
      heardAt: time.nullable(),
      createdAt: time,
      finishedAt: time.nullable(),
      /** When the record and its results may be removed; null until `done` or `failed`. */
      expiresAt: time.nullable(),
      /** The failure of the last attempt. The message is for the owner. */
      failure: z
        .object({ code: z.custom<ErrorCode>((code) => typeof code === 'string'), message: z.string() })
        .nullable(),
    })
    .refine(isWhole, 'lacks what its state demands'),
  key: 'id',
  unique: { byWorkKey: ['workKey'] },
  indexes: {
    byState: ['state', 'createdAt'],
    byOwner: ['owner.issuer', 'owner.subject', 'state', 'createdAt'],
  },
  expiry: 'expiresAt',
  isTransient: true,
});

export type Job = Readonly<z.output<typeof jobs.shape>>;
export type Jobs = RecordsOf<typeof jobs>;
export type JobState = Job['state'];
export type JobOwner = Readonly<Job['owner']>;
export type JobFailure = Readonly<NonNullable<Job['failure']>>;

/** The message in a queue. It contains no documents and no tokens. */
export type JobRef = Pick<Job, 'id' | 'kind'>;

type Compared = 'state' | 'runner' | 'heardAt' | 'finishedAt' | 'expiresAt' | 'failure';

function isWhole(job: Readonly<Record<Compared, unknown>>): boolean {
  const { state, runner, heardAt, finishedAt, expiresAt, failure } = job;
  if (state === 'running') return runner !== null && heardAt !== null;
  if (state === 'waiting') return true;
  return finishedAt !== null && expiresAt !== null && (state === 'done' || failure !== null);
}

/** Runs a job if it is due. If it throws, it is called again later. Queues ignore the result. */
export type JobHandler<Result = unknown> = (job: JobRef, signal: AbortSignal) => Promise<Result>;

/** Resolves to the job after the attempt; to undefined if another runner has it, or it was removed. */
export type JobAttempt = JobHandler<Job | undefined>;

/** Wakes workers. It may lose jobs or deliver them twice. */
export interface JobQueue extends AsyncDisposable {
  /**
   * The record of the job must be stored. Idempotent.
   * @param place `front`: before all jobs that wait. Default: after them. @throws ServiceError `unavailable`.
   */
  enqueue(job: JobRef, place?: 'front'): Promise<void>;

  /**
   * Works on queued jobs, a few at a time. Disposing of the queue aborts the signal of running jobs and waits for them.
   */
  work(handler: JobHandler): void;

  /** Starts no more jobs in this process. Resolves when the running ones have ended. */
  drain(): Promise<void>;

  /** @throws ServiceError `unavailable` if the queue does not answer. */
  ready(): Promise<void>;
}
