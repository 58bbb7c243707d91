import { ServiceError } from '../../errors.ts';
import { jobsOfOwner } from '../../jobs/job-records.ts';
import type { JobOwner, JobState, Jobs } from '../../jobs/jobs.ts';
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

const keptStates: readonly JobState[] = ['done', 'running', 'waiting'];

export interface ExportLimits {
  /** The most unfinished exports of one caller. */
  readonly most: number;
  /** The most bytes of results of one caller. */
  readonly mostBytes: number;
}

/**
 * Demands room for one more export of an owner. Reads the others only if the limit of their bytes may be reached.
 * @throws ServiceError `rate_limited`.
 */
export async function assertSpace(
  jobs: Pick<Jobs, 'page' | 'totals'>,
  owner: JobOwner,
  { most, mostBytes }: ExportLimits,
): Promise<void> {
  const totals = await jobs.totals('byOwner', [owner.issuer, owner.subject], 'progress.bytes');
  const of = (state: JobState) => totals.get(state) ?? { count: 0, sum: 0 };
  if (of('running').count + of('waiting').count >= most) throwTooMany(most);
  const atMost = keptStates.map(of).reduce((bytes, { count, sum }) => bytes + sum + leastBytes * count, 0);
  if (atMost < mostBytes) return;
  const kept = await keptExports(jobs, owner);
  if (kept.bytes >= mostBytes) throwFull(kept, mostBytes);
}

/** All exports of an owner, with what running ones have written so far. @param except an export to leave out. */
export async function keptExports(
  jobs: Pick<Jobs, 'page'>,
  owner: JobOwner,
  except?: string,
): Promise<KeptExports> {
  let bytes = 0;
  let largest: KeptExport | undefined;
  for (const state of keptStates)
    for await (const { id, progress } of jobsOfOwner(jobs, owner, state)) {
      if (id === except) continue;
      const kept = { id, bytes: storedProgress.safeParse(progress).data?.bytes ?? 0 };
      bytes += Math.max(kept.bytes, leastBytes);
      if (kept.bytes > (largest?.bytes ?? -1)) largest = kept;
    }
  return { bytes, largest };
}

function throwTooMany(most: number): never {
  const message = `You have ${most} unfinished exports. Wait for them, or cancel some with DELETE. (CAIRN_MAX_EXPORTS)`;
  throw new ServiceError('rate_limited', message, { retryAfter: 5 });
}

function throwFull({ bytes, largest }: KeptExports, limit: number): never {
  const example = largest ? ` The largest is ${largest.id} with ${largest.bytes} bytes.` : '';
  const message = `Your exports hold ${bytes} of ${limit} bytes (CAIRN_MAX_EXPORT_BYTES). Remove some with DELETE /manifest/v1/exports/{id}.${example}`;
  throw new ServiceError('rate_limited', message, { retryAfter: 60 });
}

/** @throws ServiceError `too_large` when an export grows beyond the bytes that are left. */
export function assertRoom(bytes: number, left: number): void {
  if (bytes <= left) return;
  const message = `The manifest has more than the ${Math.max(left, 0)} bytes that are left for your exports (CAIRN_MAX_EXPORT_BYTES). Remove other exports with DELETE /manifest/v1/exports/{id}, or export less.`;
  throw new ServiceError('too_large', message);
}
