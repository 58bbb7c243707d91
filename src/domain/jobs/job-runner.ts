import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { Job, JobFailure, JobHandler, JobStore } from './jobs.ts';

/** One kind of job: what may be asked for, how it is done, and how long its record stays. */
export interface JobKind<Request = unknown> {
  readonly name: string;
  readonly request: z.ZodType<Request>;
  /** In milliseconds from its end. */
  readonly keptFor: { readonly done: number; readonly failed: number };
  /**
   * @param report says how far it is, as often as it likes; it throws `JobLost` when somebody else has the job, or
   * nobody wants it any more, and the signal's reason when the process is to end.
   * @returns the last progress, which stays with the job.
   */
  run(
    job: Job & { readonly request: Request },
    report: (progress: unknown) => Promise<void>,
    runner: string,
  ): Promise<unknown>;
}

export interface JobRunnerPorts {
  readonly jobs: JobStore;
  readonly kinds: readonly JobKind[];
  readonly now: () => Date;
  readonly newId: () => string;
  /** Told of each attempt that failed. */
  readonly onFailure: (job: Job, error: unknown) => void;
}

/** The job is none of this runner's any more. */
export class JobLost extends Error {
  constructor() {
    super('The job was removed, or another runner has it.');
    this.name = 'JobLost';
  }
}

/** A runner of which nothing was heard for so long has died. */
export const silentMs = 60_000;
/** Reports that come sooner after the last one are not written. */
const reportEveryMs = 500;
const attemptLimit = 5;

/** Takes jobs on, and writes into their records what becomes of them. */
export function jobRunner(ports: JobRunnerPorts): JobHandler {
  return async ({ id, kind: name }, signal) => {
    const kind = ports.kinds.find((each) => each.name === name);
    if (!kind) throw new Error(`This process cannot work on jobs of the kind "${name}".`);
    const runner = ports.newId();
    const now = ports.now().getTime();
    const job = await ports.jobs.claim(id, { runner, now, silentSince: now - silentMs });
    if (!job) return;
    const attempt = { job, kind, runner, signal };
    if (job.attempts > attemptLimit) return await giveUp(ports, attempt);
    try {
      const asked = { ...job, request: kind.request.parse(job.request) };
      const progress = await kind.run(asked, reporter(ports, attempt), runner);
      const finishedAt = ports.now().getTime();
      const outcome = {
        state: 'done',
        progress,
        finishedAt,
        expiresAt: finishedAt + kind.keptFor.done,
      } as const;
      await ports.jobs.finish(id, { runner, outcome });
    } catch (error) {
      if (error instanceof JobLost) return;
      await endAttempt(ports, attempt, error);
    }
  };
}

/** One runner's try at a job. */
interface Attempt {
  readonly job: Job;
  readonly kind: JobKind;
  readonly runner: string;
  readonly signal: AbortSignal;
}

function reporter({ jobs, now }: JobRunnerPorts, { job: { id }, runner, signal }: Attempt) {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async (progress: unknown): Promise<void> => {
    signal.throwIfAborted();
    const time = now().getTime();
    if (time - reportedAt < reportEveryMs) return;
    reportedAt = time;
    if (!(await jobs.report(id, { runner, now: time, progress }))) throw new JobLost();
  };
}

/** @throws what the attempt has thrown when there is to be another one. */
async function endAttempt(ports: JobRunnerPorts, attempt: Attempt, error: unknown): Promise<void> {
  const { jobs } = ports;
  const { job, runner, signal } = attempt;
  if (signal.aborted) {
    await jobs.finish(job.id, { runner, outcome: { state: 'waiting', failure: null } });
    throw error;
  }
  ports.onFailure(job, error);
  const failure = failureOf(error);
  if (isFinal(error) || job.attempts >= attemptLimit) return await fail(ports, attempt, failure);
  await jobs.finish(job.id, { runner, outcome: { state: 'waiting', failure } });
  throw error;
}

/** A job that ends the process of whoever works on it must not do so for ever. */
async function giveUp(ports: JobRunnerPorts, attempt: Attempt): Promise<void> {
  const message = `The work on this was interrupted ${attemptLimit} times. Ask for it again.`;
  await fail(ports, attempt, attempt.job.failure ?? { code: 'unavailable', message });
}

async function fail(
  { jobs, now }: JobRunnerPorts,
  { job, kind, runner }: Attempt,
  failure: JobFailure,
): Promise<void> {
  const finishedAt = now().getTime();
  const expiresAt = finishedAt + kind.keptFor.failed;
  await jobs.finish(job.id, { runner, outcome: { state: 'failed', failure, finishedAt, expiresAt } });
}

function failureOf(error: unknown): JobFailure {
  if (error instanceof ServiceError) return { code: error.code, message: error.message };
  return { code: 'internal', message: 'The work has failed. The log of the service says why.' };
}

/** Whether another attempt would end in the same way. */
function isFinal(error: unknown): boolean {
  return error instanceof ServiceError && !['unavailable', 'storage_full', 'internal'].includes(error.code);
}
