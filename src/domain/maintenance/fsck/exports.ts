import { z } from 'zod';
import {
  exportKind,
  exportProgress,
  exportRequest,
  nothingYet,
} from '../../integrity/exports/export-records.ts';
import { orphanedResults } from '../../integrity/exports/export-work.ts';
import { hasher } from '../../integrity/identifiers/hashing.ts';
import { type Job, jobs } from '../../jobs/jobs.ts';
import type { StoreContents } from '../contents.ts';
import { lost, messageOfDamage, orphan, recordProblem, type StoreProblem } from '../problems.ts';
import type { FsckRun } from './run.ts';

const advice = 'Remove the export with DELETE /manifest/v1/exports/{id}, and ask for it again.';

/** The members that only this kind of job defines. */
const members = z.object({ request: exportRequest, progress: exportProgress.nullable() });

/** Hashes the results of exports, and finds those without an export. */
export async function* fsckExports({ store, repair }: FsckRun): AsyncGenerator<StoreProblem> {
  for await (const page of store.records(jobs)) {
    for (const { id, record } of page) {
      const job = jobs.shape.safeParse(record);
      const isExport = job.success && job.data.kind === exportKind;
      const problem = isExport ? await jobProblem(store, job.data) : undefined;
      if (problem !== undefined) yield lost('job', id, problem, advice);
    }
  }
  for await (const name of orphanedResults(store.of(jobs), store.exportResults)) {
    if (repair) await store.exportResults.remove(name);
    yield orphan('result', name, 'It belongs to no export', { repair });
  }
}

async function jobProblem(store: StoreContents, job: Job): Promise<string | undefined> {
  const problem = recordProblem(members, job) ?? (await resultProblem(store, job));
  if (problem === undefined) return undefined;
  // Another process may have removed both meanwhile, the record first.
  return (await store.of(jobs).get(job.id)) ? problem : undefined;
}

async function resultProblem({ exportResults }: StoreContents, { state, progress }: Job) {
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
