import { z } from 'zod';
import { collection, type RecordsOf } from '../collections/collection.ts';
import type { ErrorCode } from '../errors.ts';

const time = z.int();

/** Work that goes on after its request was answered. Its record is the truth about it; a queue only wakes workers. */
export const jobs = collection('jobs', {
  shape: z
    .object({
      id: z.uuid(),
      /** The name of a job kind. */
      kind: z.string(),
      owner: z.object({ issuer: z.string(), subject: z.string() }),
      /** `waiting` also between two attempts. */
      state: z.enum(['waiting', 'running', 'done', 'failed']),
      /** What is asked for, as its kind defines it. It never changes. */
      request: z.unknown(),
      /** How far it is, and in the end what came out, as its kind defines it; null before the first report. */
      progress: z.unknown(),
      /** How often it was claimed. */
      attempts: z.int().min(0),
      /** Who works on it while it is `running`, and when that runner last reported. */
      runner: z.string().nullable(),
      heardAt: time.nullable(),
      createdAt: time,
      finishedAt: time.nullable(),
      /** When the record and what it made may go; null until it is `done` or `failed`. */
      expiresAt: time.nullable(),
      /** Of the last attempt; its message is a sentence for the owner. */
      failure: z.object({ code: z.custom<ErrorCode>(isText), message: z.string() }).nullable(),
    })
    .refine(isWhole, 'lacks what its state demands'),
  key: 'id',
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

/** All that goes through a queue: neither documents nor tokens. */
export type JobRef = Pick<Job, 'id' | 'kind'>;

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isWhole(job: {
  readonly state: string;
  readonly runner: string | null;
  readonly heardAt: number | null;
  readonly finishedAt: number | null;
  readonly expiresAt: number | null;
  readonly failure: object | null;
}): boolean {
  const { state, runner, heardAt, finishedAt, expiresAt, failure } = job;
  if (state === 'running') return runner !== null && heardAt !== null;
  if (state === 'waiting') return true;
  return finishedAt !== null && expiresAt !== null && (state === 'done' || failure !== null);
}

/** Does a job, or finds that there is nothing to do. When it throws it is called again later. */
export type JobHandler = (job: JobRef, signal: AbortSignal) => Promise<void>;

/** Wakes workers. It may lose jobs, or bring one twice: the records say what is to be done. */
export interface JobQueue extends AsyncDisposable {
  /** For a job whose record is stored. Harmless for one that is queued already. @throws ServiceError `unavailable`. */
  enqueue(job: JobRef): Promise<void>;

  /**
   * Works on what is and comes into the queue, a few jobs at a time. Disposing of the queue aborts the signal of
   * those that run, and waits for them.
   */
  work(handler: JobHandler): void;

  /** @throws ServiceError `unavailable` when what is behind it does not answer. */
  ready(): Promise<void>;
}
