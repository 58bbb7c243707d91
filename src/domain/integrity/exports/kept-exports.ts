import { ServiceError } from '../../errors.ts';
import { jobsOfOwner } from '../../jobs/job-records.ts';
import type { JobOwner, JobState, Jobs } from '../../jobs/jobs.ts';
import { exportProgress } from './export-records.ts';

/** A kept export counts as at least this many bytes, so that their number is limited too. */
const leastBytes = 1 << 20;

interface KeptExport {
  readonly id: string;
  readonly bytes: number;
}

export interface KeptExports {
  readonly bytes: number;
  readonly largest: KeptExport | undefined;
}

/** The results of an owner's exports, with what running exports have written so far. @param except an export to leave out. */
export async function keptExports(
  jobs: Pick<Jobs, 'page'>,
  owner: JobOwner,
  except?: string,
): Promise<KeptExports> {
  let bytes = 0;
  let largest: KeptExport | undefined;
  const states: readonly JobState[] = ['done', 'running'];
  for (const state of states)
    for await (const { id, progress } of jobsOfOwner(jobs, owner, state)) {
      if (id === except) continue;
      const kept = { id, bytes: exportProgress.nullable().safeParse(progress).data?.bytes ?? 0 };
      bytes += Math.max(kept.bytes, leastBytes);
      if (kept.bytes > (largest?.bytes ?? -1)) largest = kept;
    }
  return { bytes, largest };
}

export function refuseFull({ bytes, largest }: KeptExports, limit: number): never {
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
