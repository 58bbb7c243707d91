import { InProcessQueue } from '../queues/in-process.ts';
import { removeStrayResults } from './domain/integrity/export-work.ts';
import type { ExportResults } from './domain/integrity/manifest-ports.ts';
import { type JobRunnerPorts, jobRunner, silentMs } from './domain/job-runner.ts';
import type { JobQueue, JobStore } from './domain/jobs.ts';
import type { Log } from './platform/log.ts';

export interface JobsPorts extends Pick<JobRunnerPorts, 'now' | 'newId' | 'work'> {
  readonly jobs: JobStore;
  readonly exportResults: ExportResults;
}

export interface JobsOptions {
  readonly jobConcurrency: number;
  /** Between two looks at the records, in milliseconds. */
  readonly sweepMs?: number;
}

const sweptAtOnce = 1_000;

/**
 * Puts together what works on jobs: queue, runner, and a sweep that brings to the queue what it has lost, and
 * removes what has had its time. Disposing interrupts what runs; the next process takes it up.
 */
export function openJobs(ports: JobsPorts, log: Log, options: JobsOptions): JobQueue {
  const queue = new InProcessQueue({ concurrency: options.jobConcurrency });
  const onFailure: JobRunnerPorts['onFailure'] = ({ id, kind, attempts }, error) =>
    log.warn({ job: id, kind, attempts, err: error }, 'An attempt at a job has failed.');
  queue.work(jobRunner({ ...ports, onFailure }));
  const sweeping = repeatedly(options.sweepMs ?? silentMs / 2, async () => {
    await sweep(ports, queue).catch((err: unknown) => log.warn({ err }, 'The sweep over jobs has failed.'));
  });
  return {
    enqueue: (job) => queue.enqueue(job),
    work: (handler) => queue.work(handler),
    async [Symbol.asyncDispose]() {
      await sweeping[Symbol.asyncDispose]();
      await queue[Symbol.asyncDispose]();
    },
  };
}

async function sweep(
  { jobs, exportResults, now }: JobsPorts,
  queue: Pick<JobQueue, 'enqueue'>,
): Promise<void> {
  const time = now().getTime();
  for (const job of await jobs.due(time - silentMs, sweptAtOnce)) await queue.enqueue(job);
  for (const { id } of await jobs.expired(time, sweptAtOnce)) await jobs.remove(id);
  await removeStrayResults(jobs, exportResults);
}

/** Does something now and ever again, once at a time, until disposed of. */
function repeatedly(everyMs: number, work: () => Promise<void>): AsyncDisposable {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let running = Promise.resolve();
  const turn = () => {
    running = work().finally(() => {
      if (!isOver) timer = setTimeout(turn, everyMs).unref();
    });
  };
  turn();
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      clearTimeout(timer);
      await running;
    },
  };
}
