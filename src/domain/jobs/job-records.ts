import { eachRecord, firstRecord } from '../collections/records.ts';
import type { Job, JobFailure, JobOwner, JobRef, JobState, Jobs } from './jobs.ts';

export type NewJob = Pick<Job, 'kind' | 'id' | 'owner' | 'request' | 'createdAt'> &
  Partial<Pick<Job, 'workKey'>>;

interface End {
  readonly finishedAt: number;
  readonly expiresAt: number;
}

/** How an attempt ends. `waiting` means that another attempt follows. */
export type JobOutcome =
  | ({ readonly state: 'done'; readonly progress: unknown } & End)
  | ({ readonly state: 'failed'; readonly failure: JobFailure } & End)
  | { readonly state: 'waiting'; readonly failure: JobFailure | null };

const untouched = {
  state: 'waiting',
  workKey: null,
  progress: null,
  traceparent: null,
  attempts: 0,
  runner: null,
  heardAt: null,
} as const;
const noEnd = { failure: null, finishedAt: null, expiresAt: null };

/** @returns undefined if a job with its `workKey` is stored. See `unbegunJob`. */
export async function addJob(jobs: Pick<Jobs, 'insert'>, job: NewJob): Promise<Job | undefined> {
  const added = { ...untouched, ...noEnd, ...job };
  const [isNew] = await jobs.insert([added]);
  return isNew ? added : undefined;
}

/** The job of this work that has not begun, and so has read nothing yet. */
export async function unbegunJob(
  jobs: Pick<Jobs, 'page' | 'update'>,
  workKey: string,
): Promise<Job | undefined> {
  const job = await firstRecord(jobs, 'byWorkKey', [workKey]);
  if (!job || job.state === 'waiting') return job;
  // A process of an older version has claimed it, and has left the key.
  await jobs.update(job.id, { workKey }, { workKey: null });
  return undefined;
}

/**
 * Adds a job that is the same work every time. If it was there and has ended, it waits again.
 * @returns whether it waits because of this call.
 */
export async function repeatJob(
  jobs: Pick<Jobs, 'get' | 'insert' | 'update'>,
  job: NewJob,
): Promise<boolean> {
  const known = await jobs.get(job.id);
  if (!known) return (await jobs.insert([{ ...job, ...untouched, ...noEnd }]))[0] ?? false;
  const { state } = known;
  if (state === 'waiting' || state === 'running') return false;
  const { createdAt } = job;
  return (await jobs.update(job.id, { state }, { ...untouched, ...noEnd, createdAt })) !== undefined;
}

/** The jobs of an owner in one state, oldest first. */
export function jobsOfOwner(
  jobs: Pick<Jobs, 'page'>,
  { issuer, subject }: JobOwner,
  state: JobState,
): AsyncGenerator<Job> {
  return eachRecord(jobs, 'byOwner', [issuer, subject, state], { limit: 1_000 });
}

/**
 * Claims a job that is waiting, or whose runner has not reported since `silentSince`.
 * @returns undefined if there is no such job, or another runner has it.
 */
export async function claimJob(
  jobs: Pick<Jobs, 'get' | 'update'>,
  id: string,
  { runner, now, silentSince }: { runner: string; now: number; silentSince: number },
): Promise<Job | undefined> {
  const mine = { state: 'running', workKey: null, runner, heardAt: now } as const;
  const isNew = { state: 'waiting', attempts: 0 } as const;
  const claimed = await jobs.update(id, isNew, { ...mine, attempts: 1 });
  if (claimed) return claimed;
  const job = await jobs.get(id);
  if (!job || !isDue(job, silentSince)) return undefined;
  const { state, heardAt, attempts } = job;
  const seen = { state, runner: job.runner, heardAt, attempts };
  return await jobs.update(id, seen, { ...mine, attempts: attempts + 1 });
}

/** Stores the progress of a job. @returns false if another runner has it, or it was removed. */
export async function reportJob(
  jobs: Pick<Jobs, 'update'>,
  id: string,
  { runner, now, progress }: { runner: string; now: number; progress: unknown },
): Promise<boolean> {
  const mine = { runner, state: 'running' } as const;
  return (await jobs.update(id, mine, { progress, heardAt: now })) !== undefined;
}

/** Ends an attempt. @returns the job afterwards; undefined if this runner does not have it any more. */
export async function finishJob(
  jobs: Pick<Jobs, 'update'>,
  id: string,
  { runner, outcome }: { runner: string; outcome: JobOutcome },
): Promise<Job | undefined> {
  const mine = { runner, state: 'running' } as const;
  return await jobs.update(id, mine, { ...noEnd, ...outcome, runner: null });
}

/** Waiting jobs, and running jobs with a silent runner, oldest first. */
export async function dueJobs(
  jobs: Pick<Jobs, 'page'>,
  silentSince: number,
  limit: number,
): Promise<JobRef[]> {
  const oldest = async (state: Job['state']) =>
    (await jobs.page('byState', [state], { after: null, limit })).records;
  return [...(await oldest('waiting')), ...(await oldest('running'))]
    .filter((job) => isDue(job, silentSince))
    .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
    .slice(0, limit)
    .map(({ id, kind }) => ({ id, kind }));
}

/**
 * Resets running jobs to waiting whose runner has not reported since `silentSince`.
 * @returns the jobs that this call has reset, oldest first.
 */
export async function releaseJobs(
  jobs: Pick<Jobs, 'page' | 'update'>,
  silentSince: number,
): Promise<JobRef[]> {
  const released: JobRef[] = [];
  for await (const job of eachRecord(jobs, 'byState', ['running'], { limit: 1_000 })) {
    const { id, kind, state, runner, heardAt } = job;
    if (!isDue(job, silentSince)) continue;
    if (await jobs.update(id, { state, runner, heardAt }, { state: 'waiting', runner: null }))
      released.push({ id, kind });
  }
  return released;
}

function isDue({ state, heardAt }: Job, silentSince: number): boolean {
  return state === 'waiting' || (state === 'running' && (heardAt === null || heardAt < silentSince));
}
