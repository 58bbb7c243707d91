import type { Total } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { jobsOfOwner } from '../../jobs/job-records.ts';
import type { Job, JobOwner, JobState, Jobs } from '../../jobs/jobs.ts';
import { storedProgress } from './export-records.ts';

/** An export counts as at least this many bytes from its request on, so that their number is limited too. */
export const leastBytes = 1 << 20;

interface KeptExport {
  readonly id: string;
  readonly bytes: number;
}

export interface KeptExports {
  readonly bytes: number;
  readonly largest: KeptExport | undefined;
}

/** How many exports of an owner are done, and their bytes. */
export async function finishedExports(
  jobs: Pick<Jobs, 'total'>,
  { issuer, subject }: JobOwner,
): Promise<Total> {
  return await jobs.total('byOwner', [issuer, subject, 'done'], 'progress.bytes');
}

interface Space {
  readonly unfinished: readonly Job[];
  readonly finished: Total;
  /** The most bytes of results of one caller. */
  readonly mostBytes: number;
}

/**
 * Demands room for one more export. Reads the finished ones only if the limit may be reached.
 * @throws ServiceError `rate_limited`.
 */
export async function demandSpace(
  jobs: Pick<Jobs, 'page'>,
  owner: JobOwner,
  { unfinished, finished, mostBytes }: Space,
): Promise<void> {
  const written = unfinished.reduce((sum, job) => sum + bytesOf(job), finished.sum);
  if (written + leastBytes * (unfinished.length + finished.count) < mostBytes) return;
  const kept = await keptExports(jobs, owner);
  if (kept.bytes >= mostBytes) refuseFull(kept, mostBytes);
}

/** All exports of an owner, with what running ones have written so far. @param except an export to leave out. */
export async function keptExports(
  jobs: Pick<Jobs, 'page'>,
  owner: JobOwner,
  except?: string,
): Promise<KeptExports> {
  let bytes = 0;
  let largest: KeptExport | undefined;
  const states: readonly JobState[] = ['done', 'running', 'waiting'];
  for (const state of states)
    for await (const job of jobsOfOwner(jobs, owner, state)) {
      if (job.id === except) continue;
      const kept = { id: job.id, bytes: bytesOf(job) };
      bytes += Math.max(kept.bytes, leastBytes);
      if (kept.bytes > (largest?.bytes ?? -1)) largest = kept;
    }
  return { bytes, largest };
}

function bytesOf({ progress }: Job): number {
  return storedProgress.safeParse(progress).data?.bytes ?? 0;
}

function refuseFull({ bytes, largest }: KeptExports, limit: number): never {
  const example = largest ? ` The largest is ${largest.id} with ${largest.bytes} bytes.` : '';
  throw new ServiceError(
    'rate_limited',
    `Your exports hold ${bytes} of ${limit} bytes (CAIRN_MAX_EXPORT_BYTES). Remove some with DELETE /manifest/v1/exports/{id}.${example}`,
    { retryAfter: 60 },
  );
}

/** @throws ServiceError `too_large` when an export grows beyond the bytes that are left. */
export function demandRoom(bytes: number, left: number): void {
  if (bytes <= left) return;
  throw new ServiceError(
    'too_large',
    `The manifest has more than the ${Math.max(left, 0)} bytes that are left for your exports (CAIRN_MAX_EXPORT_BYTES). Remove other exports with DELETE /manifest/v1/exports/{id}, or export less.`,
  );
}
