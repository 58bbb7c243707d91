import type { z } from 'zod';
import type { Principal } from '../../access/access.ts';
import type { Visibility } from '../../access/visibility.ts';
import type { Bucket } from '../../bucket.ts';
import { ServiceError } from '../../errors.ts';
import type { AttemptEnds } from '../../jobs/attempt-ends.ts';
import { addJob, type NewJob, unbegunJob } from '../../jobs/job-records.ts';
import type { Job, JobOwner, JobQueue, Jobs } from '../../jobs/jobs.ts';
import { jcs } from '../identification/jcs.ts';
import { sha256Hex } from '../identifiers/hashing.ts';
import type { ManifestForm } from '../manifest/carrier.ts';
import type { ManifestFilter } from '../manifest/export.ts';
import type { BlobContent, ByteRange } from '../ports.ts';
import {
  type ExportProgress,
  exportKind,
  exportRequest,
  nothingYet,
  storedProgress,
} from './export-records.ts';
import { assertSpace, type ExportLimits } from './kept-exports.ts';

export interface ManifestExportState
  extends Pick<Job, 'id' | 'state' | 'createdAt' | 'finishedAt' | 'expiresAt' | 'failure'> {
  readonly form: ManifestForm;
  /** Null for all graphs. */
  readonly graphIds: readonly string[] | null;
  /** The projects that its owner must be allowed to read; null for all. */
  readonly projects: readonly string[] | null;
  readonly progress: ExportProgress;
}

export interface ExportJobs {
  readonly jobs: Jobs;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly attemptEnds: Pick<AttemptEnds, 'next'>;
  readonly exportRequests: SharedTurns;
  readonly results: Pick<Bucket, 'read' | 'remove'>;
  readonly now: () => Date;
  readonly newId: () => string;
}

export interface RequestedExport extends ExportLimits {
  readonly filter: ManifestFilter & { readonly includeProofs?: boolean };
  readonly visibility: Visibility;
  readonly form: ManifestForm;
}

/**
 * Creates an asynchronous export, or finds an equal one that has not begun, whichever process has created it. Its
 * record is stored when this resolves. @throws ServiceError `rate_limited`.
 */
export async function requestExport(
  ports: Pick<ExportJobs, 'jobs' | 'queue' | 'exportRequests' | 'now' | 'newId'>,
  principal: Principal,
  { filter, visibility: { projects }, form, ...limits }: RequestedExport,
): Promise<ManifestExportState> {
  const owner = ownerOf(principal);
  const readsAll = filter.includeBlobs && (await principal.grants.visible()).projects === 'all';
  const request: z.output<typeof exportRequest> = {
    graphIds: filter.graphIds && [...filter.graphIds],
    includeContext: filter.includeContext,
    includeBlobs: filter.includeBlobs,
    ...(filter.includeProofs && { includeProofs: true as const }),
    form,
    projects: projects === 'all' ? null : [...projects].sort(),
    ...(readsAll && { readsAll }),
  };
  const workKey = sha256Hex(jcs({ kind: exportKind, owner, request }));
  return await ports.exportRequests(workKey, () => findOrAdd(ports, { owner, request, workKey }, limits));
}

async function findOrAdd(
  ports: Pick<ExportJobs, 'jobs' | 'queue' | 'now' | 'newId'>,
  work: Pick<NewJob, 'owner' | 'request'> & { readonly workKey: string },
  limits: ExportLimits,
): Promise<ManifestExportState> {
  const { owner, workKey } = work;
  for (;;) {
    const equal = await unbegunJob(ports.jobs, workKey);
    if (equal) return stateOf(equal);
    try {
      await assertSpace(ports.jobs, owner, limits);
    } catch (error) {
      // An equal request may have taken the last place meanwhile.
      const late = await unbegunJob(ports.jobs, workKey);
      if (late) return stateOf(late);
      throw error;
    }
    const id = ports.newId();
    const createdAt = ports.now().getTime();
    const job = await addJob(ports.jobs, { ...work, id, kind: exportKind, createdAt });
    if (!job) continue;
    // If the queue is away, the sweep over the records finds the job.
    await ports.queue.enqueue({ id, kind: exportKind }).catch(() => undefined);
    return stateOf(job);
  }
}

type SharedTurns = (key: string, work: () => Promise<ManifestExportState>) => Promise<ManifestExportState>;

/**
 * Equal requests of one process take turns, and all that wait share the next turn, so that many cost the store as much as two.
 * A turn that has begun is shared with nobody, because its job may have read the store already.
 */
export function sharedTurns(): SharedTurns {
  const last = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<ManifestExportState>>();
  return (key, work) =>
    next.getOrInsertComputed(key, () => {
      const begin = () => {
        next.delete(key);
        return work();
      };
      const turn = (last.get(key) ?? Promise.resolve()).then(begin);
      const ended = turn
        .catch(() => undefined)
        .finally(() => {
          if (last.get(key) === ended) last.delete(key);
        });
      last.set(key, ended);
      return turn;
    });
}

/**
 * How far an export is: for its creator alone, who must still be allowed to read what is in it.
 * @throws ServiceError `not_found`, `forbidden`; `internal` when its record is damaged.
 */
export async function readExport(
  { jobs }: Pick<ExportJobs, 'jobs'>,
  principal: Principal,
  id: string,
): Promise<ManifestExportState> {
  return await visibleState(principal, await ownJob(jobs, principal, id));
}

async function visibleState(principal: Principal, job: Job): Promise<ManifestExportState> {
  const state = stateOf(job);
  await assertStillVisible(principal, state.projects);
  return state;
}

/** @throws ServiceError `internal` when the record is damaged. */
function stateOf(job: Job): ManifestExportState {
  const request = exportRequest.safeParse(job.request);
  const progress = storedProgress.safeParse(job.progress);
  if (!request.success || !progress.success) {
    const message = `The record of the export ${job.id} is damaged. Remove the export with DELETE, and start a new one.`;
    throw new ServiceError('internal', message);
  }
  const { form, graphIds, readsAll } = request.data;
  const projects = readsAll ? null : request.data.projects;
  return { ...job, form, graphIds, projects, progress: progress.data ?? nothingYet };
}

/** How often a job that another process works on is looked at. */
const lookAgainMs = 500;

/**
 * Waits until an export has ended. Reads it as it is when the signal is aborted.
 * @param known its last known state. @throws ServiceError as `readExport`.
 */
export async function endedExport(
  ports: Pick<ExportJobs, 'jobs' | 'attemptEnds'>,
  principal: Principal,
  known: ManifestExportState,
  signal: AbortSignal,
): Promise<ManifestExportState> {
  let state = known;
  while (state.finishedAt === null && !signal.aborted) {
    const look = AbortSignal.any([AbortSignal.timeout(lookAgainMs), signal]);
    const job = await ports.attemptEnds.next(known.id, look);
    state = job ? await visibleState(principal, job) : await readExport(ports, principal, known.id);
  }
  return state;
}

export interface ExportedFile {
  readonly form: ManifestForm;
  /** Null for all graphs. */
  readonly graphIds: readonly string[] | null;
  readonly digest: string;
  readonly size: number;
  read(range?: ByteRange): Promise<BlobContent | undefined>;
}

/** The manifest of a complete export. @throws ServiceError `not_found`, `forbidden`, `conflict`. */
export async function exportedFile(
  ports: Pick<ExportJobs, 'jobs' | 'results'>,
  principal: Principal,
  id: string,
): Promise<ExportedFile> {
  const { state, form, graphIds, failure, progress } = await readExport(ports, principal, id);
  if (state === 'failed') throw new ServiceError('conflict', `This export has failed: ${failure?.message}`);
  const { result } = progress;
  if (state !== 'done' || !result) {
    const message = `This export is not complete (${state}). Poll its state until it is "done".`;
    throw new ServiceError('conflict', message, { retryAfter: 1 });
  }
  const read = (range?: ByteRange) => ports.results.read(result.name, range);
  return { form, graphIds, digest: result.digest, size: progress.bytes, read };
}

/** Cancels an export or removes it with its result, even if its record is damaged. @throws ServiceError `not_found`. */
export async function removeExport(
  ports: Pick<ExportJobs, 'jobs' | 'results'>,
  principal: Principal,
  id: string,
): Promise<void> {
  const { progress } = await ownJob(ports.jobs, principal, id);
  await ports.jobs.remove(id);
  // The sweep removes the result of a damaged record.
  const result = storedProgress.safeParse(progress).data?.result;
  if (result) await ports.results.remove(result.name);
}

async function ownJob(jobs: Pick<Jobs, 'get'>, principal: Principal, id: string): Promise<Job> {
  const job = await jobs.get(id);
  const owner = ownerOf(principal);
  if (job?.kind === exportKind && job.owner.issuer === owner.issuer && job.owner.subject === owner.subject)
    return job;
  throw new ServiceError('not_found', `You have no export ${id}. It may have expired.`);
}

function ownerOf({ issuer, subject }: Principal): JobOwner {
  return { issuer, subject };
}

export function visibilityFor(projects: readonly string[] | null): Visibility {
  return { projects: projects === null ? 'all' : new Set(projects) };
}

async function assertStillVisible({ grants }: Principal, projects: readonly string[] | null): Promise<void> {
  if (projects === null && (await grants.visible()).projects !== 'all') throwLost();
  for (const project of projects ?? []) if (!(await grants.on(project, 'view_project_data'))) throwLost();
}

function throwLost(): never {
  throw new ServiceError('forbidden', 'You may no longer read all projects of this export.');
}
