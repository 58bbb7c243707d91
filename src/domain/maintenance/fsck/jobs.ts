import { z } from 'zod';
import {
  type ExportProgress,
  exportKind,
  exportProgress,
  exportRequest,
} from '../../integrity/exports/export-jobs.ts';
import { orphanedResults } from '../../integrity/exports/export-work.ts';
import { hasher } from '../../integrity/identifiers/hashing.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { StoreContents, StoreProblem } from './ports.ts';
import { lost, messageOfDamage, orphan } from './problems.ts';

type Contents = Pick<StoreContents, 'jobs' | 'job' | 'exportResults'>;

const advice = 'Remove the export with DELETE /manifest/v1/exports/{id}, and ask for it again.';

const failure = z.object({ code: z.string(), message: z.string() });

/** What every record of a job has, as its state demands. */
const record = z.discriminatedUnion('state', [
  z.object({ state: z.literal('waiting'), progress: exportProgress.nullable() }),
  z.object({ state: z.literal('running'), progress: exportProgress.nullable() }),
  z.object({ state: z.literal('done'), progress: exportProgress, finishedAt: z.int(), expiresAt: z.int() }),
  z.object({
    state: z.literal('failed'),
    progress: exportProgress.nullable(),
    finishedAt: z.int(),
    expiresAt: z.int(),
    failure,
  }),
]);
const everyRecord = z.object({
  id: z.uuid(),
  kind: z.literal(exportKind),
  owner: z.object({ issuer: z.string(), subject: z.string() }),
  request: exportRequest,
  attempts: z.int().min(0),
  createdAt: z.int(),
  failure: failure.nullable(),
});

/** Reads the records of jobs, hashes the manifests that they have made, and tells those that belong to none. */
export async function* fsckJobs(
  contents: Contents,
  repair: boolean,
  onJob: () => void,
): AsyncGenerator<StoreProblem> {
  for await (const page of contents.jobs()) {
    for (const job of page) {
      onJob();
      const problem = 'problem' in job ? job.problem : await jobProblem(contents, job);
      if (problem !== undefined) yield lost('job', job.id, problem, advice);
    }
  }
  const jobs = { get: contents.job };
  for await (const name of orphanedResults(jobs, contents.exportResults)) {
    if (repair) await contents.exportResults.remove(name);
    yield orphan('result', name, 'No export has this result', repair);
  }
}

async function jobProblem(contents: Contents, job: Job): Promise<string | undefined> {
  const checked = everyRecord.and(record).safeParse(job);
  if (!checked.success)
    return `Its record is damaged: ${z.prettifyError(checked.error)}`.replaceAll('\n', ' ');
  const { state, progress } = job;
  const problem = state === 'done' ? await resultProblem(contents, progress as ExportProgress) : undefined;
  if (problem === undefined) return undefined;
  // Somebody may have removed both meanwhile, the record first.
  return (await contents.job(job.id)) ? problem : undefined;
}

async function resultProblem(
  { exportResults }: Contents,
  { result, bytes }: ExportProgress,
): Promise<string | undefined> {
  if (!result) return 'It is done, and its record names no result';
  const hash = hasher('blake3');
  try {
    await using content = await exportResults.read(result.name);
    if (!content) return `Its result ${result.name} is missing`;
    if (content.size !== bytes) return `Its result has ${content.size} bytes instead of ${bytes}`;
    for await (const chunk of content.bytes) hash.update(chunk);
  } catch (error) {
    return messageOfDamage(error);
  }
  const isWhole = Buffer.from(hash.digest()).toString('hex') === result.digest;
  return isWhole ? undefined : 'The bytes of its result do not hash to its digest';
}
