import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { claimJob, finishJob, reportJob } from './job-records.ts';
import type { Job, JobAttempt, JobFailure, Jobs } from './jobs.ts';

/** A kind of job: its request, its work, and how long its record is kept. */
export interface JobKind<Request = unknown> {
  readonly name: string;
  readonly request: z.ZodType<Request>;
  /** In milliseconds after its end. */
  readonly keptFor: { readonly done: number; readonly failed: number };
  /**
   * @param report stores the progress. It can be called often. Throws `JobLost` if another runner has the job or it was
   * removed, and the reason of the signal if the process is stopping. @returns the final progress.
   */
  run(
    job: Job & { readonly request: Request },
    report: (progress: unknown) => Promise<void>,
    runner: string,
  ): Promise<unknown>;
}

export interface JobRunnerPorts {
  readonly jobs: Jobs;
  readonly kinds: readonly JobKind[];
  readonly now: () => Date;
  readonly newId: () => string;
  readonly onFailure: (job: Job, error: unknown) => void;
}

/** This runner does not have the job any more. */
export class JobLost extends Error {
  constructor() {
    super('The job was removed, or another runner has it.');
    this.name = 'JobLost';
  }
}

/** A runner that has not renewed its claim for this long is dead. */
export const silentMs = 20_000;
const renewEveryMs = 5_000;
/** Reports sooner after the claim or the last stored report are not stored. */
const reportEveryMs = 500;
const attemptLimit = 5;

export function jobRunner(ports: JobRunnerPorts): JobAttempt {
  return async ({ id, kind: name }, signal) => {
    const kind = ports.kinds.find((each) => each.name === name);
    if (!kind) throw new Error(`This process cannot work on jobs of the kind "${name}".`);
    const runner = ports.newId();
    const now = ports.now().getTime();
    const job = await claimJob(ports.jobs, id, { runner, now, silentSince: now - silentMs });
    if (!job) return undefined;
    using _claim = renewed(ports.jobs, { id, runner, now: ports.now });
    const attempt = { job, kind, runner, signal };
    if (job.attempts > attemptLimit) {
      // The job has crashed every process that worked on it.
      const message = `The work on this was interrupted ${attemptLimit} times. Ask for it again.`;
      return await fail(ports, attempt, job.failure ?? { code: 'unavailable', message });
    }
    try {
      const asked = { ...job, request: kind.request.parse(job.request) };
      const progress = await kind.run(asked, reporter(ports, attempt), runner);
      const finishedAt = ports.now().getTime();
      const expiresAt = finishedAt + kind.keptFor.done;
      const outcome = { state: 'done', progress, finishedAt, expiresAt } as const;
      return await finishJob(ports.jobs, id, { runner, outcome });
    } catch (error) {
      if (error instanceof JobLost) return undefined;
      return await endAttempt(ports, attempt, error);
    }
  };
}

/** Renews a claim until it is disposed of, so that work without a report is not taken over. */
function renewed(
  jobs: Pick<Jobs, 'update'>,
  { id, runner, now }: Pick<JobRunnerPorts, 'now'> & { readonly id: string; readonly runner: string },
): Disposable {
  const timer = setInterval(() => {
    // The next one may succeed. If the job was taken over, the next report says so.
    jobs.update(id, { runner, state: 'running' }, { heardAt: now().getTime() }).catch(() => undefined);
  }, renewEveryMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

interface Attempt {
  readonly job: Job;
  readonly kind: JobKind;
  readonly runner: string;
  readonly signal: AbortSignal;
}

function reporter({ jobs, now }: JobRunnerPorts, { job: { id, heardAt }, runner, signal }: Attempt) {
  let reportedAt = heardAt ?? 0;
  return async (progress: unknown): Promise<void> => {
    signal.throwIfAborted();
    const time = now().getTime();
    if (time - reportedAt < reportEveryMs) return;
    reportedAt = time;
    if (!(await reportJob(jobs, id, { runner, now: time, progress }))) throw new JobLost();
  };
}

/** @throws the error of the attempt if another attempt follows. */
async function endAttempt(ports: JobRunnerPorts, attempt: Attempt, error: unknown): Promise<Job | undefined> {
  const { jobs } = ports;
  const { job, runner, signal } = attempt;
  if (signal.aborted) {
    await finishJob(jobs, job.id, { runner, outcome: { state: 'waiting', failure: null } });
    throw error;
  }
  ports.onFailure(job, error);
  const failure = failureOf(error);
  if (isFinal(error) || job.attempts >= attemptLimit) return await fail(ports, attempt, failure);
  await finishJob(jobs, job.id, { runner, outcome: { state: 'waiting', failure } });
  throw error;
}

async function fail({ jobs, now }: JobRunnerPorts, { job, kind, runner }: Attempt, failure: JobFailure) {
  const finishedAt = now().getTime();
  const expiresAt = finishedAt + kind.keptFor.failed;
  const outcome = { state: 'failed', failure, finishedAt, expiresAt } as const;
  return await finishJob(jobs, job.id, { runner, outcome });
}

function failureOf(error: unknown): JobFailure {
  if (error instanceof ServiceError) return { code: error.code, message: error.message };
  return { code: 'internal', message: 'The work has failed. The log of the service says why.' };
}

/** Whether another attempt would fail in the same way. */
function isFinal(error: unknown): boolean {
  return error instanceof ServiceError && !['unavailable', 'storage_full', 'internal'].includes(error.code);
}
