import { ServiceError } from '../../domain/errors.ts';
import { logNames } from '../../domain/log/names.ts';
import { newestCheckpoint } from '../../domain/log/reading.ts';
import { logRecords } from '../../domain/log/records.ts';
import type { LogState } from '../../domain/log/witnessing/standings.ts';
import type { Metrics, Sample } from '../../platform/telemetry/metrics.ts';
import type { Store } from '../../storage/open.ts';
import { repeatedly } from '../repeatedly.ts';

const readEveryMs = 10_000;

/**
 * Reads how the log and its witnesses are every few seconds, however often metrics are read. Disposing ends that.
 * @param onError gets what is not a failure of the store. A metric never ends the process.
 */
export function watchLog(
  store: Pick<Store, 'of'>,
  logState: () => Promise<LogState>,
  metrics: Metrics,
  onError: (error: unknown) => void,
): AsyncDisposable {
  const records = logRecords(store);
  let samples: Readonly<Record<'entries' | 'published' | 'problems' | 'witnesses', Sample[]>> | undefined;
  const watch = (
    name: string,
    help: string,
    of: keyof NonNullable<typeof samples>,
    labelNames: string[] = [],
  ) => metrics.watch({ kind: 'gauge', name, help, labelNames }, () => samples?.[of] ?? []);
  watch('cairn_log_entries', 'Entries of the service log', 'entries');
  watch(
    'cairn_log_published_entries',
    'Entries in the last published checkpoint of the service log',
    'published',
  );
  watch('cairn_log_problem', '1 while no checkpoint of the log can be published', 'problems', ['problem']);
  watch('cairn_log_witness_failing', '1 while a witness does not cosign the log', 'witnesses', [
    'witness',
    'problem',
  ]);

  async function read(): Promise<void> {
    const [log, checkpoint, { own, witnesses }] = await Promise.all([
      records.logs.get(logNames.service),
      newestCheckpoint(records),
      logState(),
    ]);
    samples = {
      entries: [[{}, log?.size ?? 0]],
      published: [[{}, checkpoint?.size ?? 0]],
      problems: [[{ problem: own?.problem?.code ?? 'none' }, Number(Boolean(own?.problem))]],
      witnesses: witnesses.map(({ names, problem }) => [
        { witness: names.join(' '), problem: problem?.code ?? 'none' },
        Number(problem !== null),
      ]),
    };
  }

  return repeatedly(readEveryMs, () =>
    read().catch((error: unknown) => {
      samples = undefined;
      if (!(error instanceof ServiceError)) onError(error);
    }),
  );
}
