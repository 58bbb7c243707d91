import type { ErrorCode } from '../errors.ts';

/** All that goes through a queue: neither documents nor tokens. */
export interface JobRef {
  /** The name of a job kind. */
  readonly kind: string;
  /** A UUID. */
  readonly id: string;
}

/** `waiting` also between two attempts. */
export type JobState = 'waiting' | 'running' | 'done' | 'failed';

export interface JobOwner {
  readonly issuer: string;
  readonly subject: string;
}

export interface JobFailure {
  readonly code: ErrorCode;
  /** A sentence for the owner. */
  readonly message: string;
}

/**
 * Work that goes on after its request was answered. Its record is the truth about it; a queue only wakes workers.
 * Times are milliseconds since 1970.
 */
export interface Job extends JobRef {
  readonly owner: JobOwner;
  readonly state: JobState;
  /** JSON of what is asked for, as its kind defines it. It never changes. */
  readonly request: unknown;
  /** JSON of how far it is, and in the end what came out, as its kind defines it; null before the first report. */
  readonly progress: unknown;
  /** How often it was taken on. */
  readonly attempts: number;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** When its record and what it made may go; null until it is `done` or `failed`. */
  readonly expiresAt: number | null;
  /** Of the last attempt. */
  readonly failure: JobFailure | null;
}

export type NewJob = Pick<Job, 'kind' | 'id' | 'owner' | 'request' | 'createdAt'>;

/** How an attempt ends. A job that waits again has no end yet. */
export type JobOutcome =
  | {
      readonly state: 'done';
      readonly progress: unknown;
      readonly finishedAt: number;
      readonly expiresAt: number;
    }
  | {
      readonly state: 'failed';
      readonly failure: JobFailure;
      readonly finishedAt: number;
      readonly expiresAt: number;
    }
  | { readonly state: 'waiting'; readonly failure: JobFailure | null };

/** Records of jobs. Each call is atomic, and durable when it resolves. */
export interface JobStore {
  add(job: NewJob): Promise<void>;

  get(id: string): Promise<Job | undefined>;

  /** How many jobs of a caller are `waiting` or `running`. */
  countUnfinished(owner: JobOwner): Promise<number>;

  /**
   * Makes a job this runner's: one that waits, or one of whose runner nothing was heard since `silentSince`.
   * undefined when there is no such job, or somebody else has it.
   */
  claim(id: string, claim: { runner: string; now: number; silentSince: number }): Promise<Job | undefined>;

  /** Says how far a job is. false: it is not this runner's any more, because it was removed or taken over. */
  report(id: string, report: { runner: string; now: number; progress: unknown }): Promise<boolean>;

  /** Ends an attempt. false: the job is not this runner's any more, and nothing changed. */
  finish(id: string, end: { runner: string; outcome: JobOutcome }): Promise<boolean>;

  /** false: there was none. */
  remove(id: string): Promise<boolean>;

  /** Jobs to be worked on, those that were added first first: who waits, and whose runner is silent. */
  due(silentSince: number, limit: number): Promise<JobRef[]>;

  /** Jobs whose time is over. */
  expired(now: number, limit: number): Promise<JobRef[]>;
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
