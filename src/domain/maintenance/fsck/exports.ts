import { z } from 'zod';
import {
  exportKind,
  exportProgress,
  exportRequest,
  nothingYet,
} from '../../integrity/exports/export-jobs.ts';
import { orphanedResults } from '../../integrity/exports/export-work.ts';
import { hasher } from '../../integrity/identifiers/hashing.ts';
import { type Job, jobs } from '../../jobs/jobs.ts';
import type { StoreContents, StoreProblem } from './ports.ts';
import { lost, messageOfDamage, orphan } from './problems.ts';
import { recordProblem } from './records.ts';

type Contents = Pick<StoreContents, 'records' | 'job' | 'exportResults'>;

const advice = 'Remove the export with DELETE /manifest/v1/exports/{id}, and ask for it again.';

/** The members of a job that only its kind defines. */
const members = z.object({ request: exportRequest, progress: exportProgress.nullable() });

/** Hashes the manifests that exports have made, and tells those that belong to none. */
export async function* fsckExports(contents: Contents, repair: boolean): AsyncGenerator<StoreProblem> {
  for await (const page of contents.records(jobs)) {
    for (const { id, record } of page) {
      const job = jobs.shape.safeParse(record);
      const isExport = job.success && job.data.kind === exportKind;
      const problem = isExport ? await jobProblem(contents, job.data) : undefined;
      if (problem !== undefined) yield lost('job', id, problem, advice);
    }
  }
  for await (const name of orphanedResults({ get: contents.job }, contents.exportResults)) {
    if (repair) await contents.exportResults.remove(name);
    yield orphan('result', name, 'No export has this result', repair);
  }
}

async function jobProblem(contents: Contents, job: Job): Promise<string | undefined> {
  const problem = recordProblem(members, job) ?? (await resultProblem(contents, job));
  if (problem === undefined) return undefined;
  // Somebody may have removed both meanwhile, the record first.
  return (await contents.job(job.id)) ? problem : undefined;
}

async function resultProblem(
  { exportResults }: Contents,
  { state, progress }: Job,
): Promise<string | undefined> {
  if (state !== 'done') return undefined;
  const { result, bytes } = exportProgress.nullable().parse(progress) ?? nothingYet;
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
