import type { Job, JobFailure, JobOwner, JobRef, Jobs } from './jobs.ts';

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

const noEnd = { failure: null, finishedAt: null, expiresAt: null };

export async function addJob(jobs: Pick<Jobs, 'insert'>, job: NewJob): Promise<void> {
  const untouched = { state: 'waiting', progress: null, attempts: 0, runner: null, heardAt: null } as const;
  await jobs.insert([{ ...job, ...untouched, ...noEnd }]);
}

/** How many jobs of an owner are not done, counted up to a limit. */
export async function countUnfinished(
  jobs: Pick<Jobs, 'page'>,
  { issuer, subject }: JobOwner,
  limit: number,
): Promise<number> {
  const states = ['waiting', 'running'] as const;
  const pages = states.map((state) => jobs.page('byOwner', [issuer, subject, state], { after: null, limit }));
  return (await Promise.all(pages)).reduce((count, { records }) => count + records.length, 0);
}

/**
 * Makes a job this runner's: one that waits, or one whose runner has not reported since `silentSince`.
 * @returns undefined when there is no such job, or somebody else has it.
 */
export async function claimJob(
  jobs: Pick<Jobs, 'get' | 'update'>,
  id: string,
  { runner, now, silentSince }: { runner: string; now: number; silentSince: number },
): Promise<Job | undefined> {
  const job = await jobs.get(id);
  if (!job || !isDue(job, silentSince)) return undefined;
  const { state, runner: last, heardAt, attempts } = job;
  const claim = { state: 'running', runner, heardAt: now, attempts: attempts + 1 } as const;
  return await jobs.update(id, { state, runner: last, heardAt, attempts }, claim);
}

/** Says how far a job is. @returns false when it is not this runner's: it was removed or taken over. */
export async function reportJob(
  jobs: Pick<Jobs, 'update'>,
  id: string,
  { runner, now, progress }: { runner: string; now: number; progress: unknown },
): Promise<boolean> {
  const mine = { runner, state: 'running' } as const;
  return (await jobs.update(id, mine, { progress, heardAt: now })) !== undefined;
}

/** Ends an attempt. @returns false when the job is not this runner's any more. */
export async function finishJob(
  jobs: Pick<Jobs, 'update'>,
  id: string,
  { runner, outcome }: { runner: string; outcome: JobOutcome },
): Promise<boolean> {
  const mine = { runner, state: 'running' } as const;
  return (await jobs.update(id, mine, { ...noEnd, ...outcome, runner: null })) !== undefined;
}

/** Jobs to be worked on, oldest first: those that wait, and those whose runner is silent. */
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

/** Lets all jobs wait that run, for a store that no other process has open: their runners have ended. */
export async function releaseJobs(jobs: Pick<Jobs, 'page' | 'update'>): Promise<void> {
  const { records, next } = await jobs.page('byState', ['running'], { after: null, limit: 1_000 });
  for (const { id } of records)
    await jobs.update(id, { state: 'running' }, { state: 'waiting', runner: null });
  if (next !== undefined) await releaseJobs(jobs);
}

function isDue({ state, heardAt }: Job, silentSince: number): boolean {
  return state === 'waiting' || (state === 'running' && (heardAt === null || heardAt < silentSince));
}
