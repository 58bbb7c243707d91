import type { Records } from '../../domain/collections/records.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type JobKind, JobLost } from '../../domain/jobs/job-runner.ts';
import { type JobState, type Jobs, jobs } from '../../domain/jobs/jobs.ts';
import type { Metrics, Sample } from '../../platform/telemetry/metrics.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import type { Store } from '../../storage/open.ts';
import { repeatedly } from '../repeatedly.ts';

const countEveryMs = 10_000;
/** More jobs of a state are counted as this many. */
const mostCounted = 1_000;
const states: readonly JobState[] = ['waiting', 'running'];

/** Records of jobs that keep the trace of the request that asks for the work. */
export function tracedJobs<Item extends object>(records: Records<Item>, traces: Traces): Records<Item> {
  const traced = <Change extends object>(change: Change): Change =>
    'traceparent' in change ? { ...change, traceparent: traces.traceparent() } : change;
  return {
    get: (key) => records.get(key),
    insert: (inserted) => records.insert(inserted.map(traced)),
    update: (key, expected, change) => records.update(key, expected, traced(change)),
    updateAll: (keys, expected, change) => records.updateAll(keys, expected, traced(change)),
    remove: (key, expected) => records.remove(key, expected),
    page: (...page) => records.page(...page),
    totals: (...totals) => records.totals(...totals),
    among: (...values) => records.among(...values),
  };
}

/** The same kind of job, whose attempts are measured, and traced below the request that asked for the work. */
export function observedKind(kind: JobKind, { metrics, traces }: Telemetry): JobKind {
  if (!metrics && !traces) return kind;
  const { name } = kind;
  return {
    ...kind,
    async run(job, report, runner) {
      const end = metrics?.jobAttempts.startTimer({ kind: name });
      const attempt = async () => await kind.run(job, report, runner);
      try {
        const attributes = { 'cairn.job.id': job.id, 'cairn.job.attempt': job.attempts };
        const done = traces
          ? await traces.continued(`job ${name}`, job.traceparent ?? null, attributes, attempt)
          : await attempt();
        end?.({ outcome: 'done' });
        return done;
      } catch (error) {
        end?.({ outcome: error instanceof JobLost ? 'lost' : 'failed' });
        throw error;
      }
    },
  };
}

/**
 * Counts unfinished jobs every few seconds, however often metrics are read. Disposing ends that.
 * @param onError gets what is not a failure of the store. A metric never ends the process.
 */
export function watchJobs(
  store: Pick<Store, 'of' | 'now'>,
  metrics: Metrics,
  onError: (error: unknown) => void,
): AsyncDisposable {
  const records = store.of(jobs);
  let counts: Sample[] = [];
  let oldest: Sample[] = [];
  metrics.watch(
    {
      kind: 'gauge',
      name: 'cairn_jobs',
      help: 'Unfinished jobs of all processes, up to 1000 of a state',
      labelNames: ['state'],
    },
    () => counts,
  );
  metrics.watch(
    {
      kind: 'gauge',
      name: 'cairn_job_oldest_age_seconds',
      help: 'Age of the oldest unfinished job, by state',
      labelNames: ['state'],
    },
    () => oldest,
  );
  const count = async (): Promise<void> => {
    const found = await Promise.all(states.map((state) => unfinished(records, state)));
    const now = store.now().getTime();
    counts = found.map(({ state, count }) => [{ state }, count]);
    oldest = found.map(({ state, since }) => [{ state }, since === undefined ? 0 : (now - since) / 1_000]);
  };
  return repeatedly(countEveryMs, () =>
    count().catch((error: unknown) => {
      // Old numbers would mislead.
      counts = oldest = [];
      if (!(error instanceof ServiceError)) onError(error);
    }),
  );
}

async function unfinished(records: Pick<Jobs, 'page'>, state: JobState) {
  const { records: found } = await records.page('byState', [state], { after: null, limit: mostCounted });
  return { state, count: found.length, since: found[0]?.createdAt };
}
