import { z } from 'zod';
import { repeatJob } from '../../jobs/job-records.ts';
import type { JobKind } from '../../jobs/job-runner.ts';
import type { JobQueue, Jobs } from '../../jobs/jobs.ts';
import { isListed, type SignedListPorts, signedStatusList } from './signed-list.ts';
import type { StatusEntries } from './status-entries.ts';

const kind = 'status-list';
const owner = { issuer: 'cairn', subject: 'status-lists' };
const request = z.object({ listId: z.uuid() });
const keptMs = 60_000;
const entriesAtOnce = 1_000;

export interface StatusListRequests {
  readonly jobs: Pick<Jobs, 'get' | 'insert' | 'update'>;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly now: () => Date;
}

/** Signs status lists again. A list that shows all of its entries stays as it is. */
export function statusListJobs(ports: SignedListPorts): JobKind<z.output<typeof request>> {
  return {
    name: kind,
    request,
    keptFor: { done: keptMs, failed: keptMs },
    async run({ request: { listId } }) {
      for (;;) {
        const { version } = await signedStatusList(ports, listId);
        if (await isListed(ports, listId)) return { version };
      }
    },
  };
}

/** Asks for a new signed form. One job per list waits, whoever asks. */
export async function requestStatusList(
  { jobs, queue, now }: StatusListRequests,
  listId: string,
): Promise<void> {
  const createdAt = now().getTime();
  const isDue = await repeatJob(jobs, { id: listId, kind, owner, request: { listId }, createdAt });
  // The sweep over the jobs finds those that the queue does not have.
  if (isDue) await queue.enqueue({ id: listId, kind }).catch(() => undefined);
}

/** Asks for the lists that lack a status, because a process ended between the entry and its job. */
export async function requestUnsignedLists(
  ports: StatusListRequests,
  statusEntries: Pick<StatusEntries, 'page'>,
): Promise<void> {
  const { records } = await statusEntries.page('unlisted', [], { after: null, limit: entriesAtOnce });
  for (const listId of new Set(records.map((entry) => entry.listId))) await requestStatusList(ports, listId);
}
