import { statfs } from 'node:fs/promises';
import type { RecordStore } from '../../domain/collections/collection.ts';
import { jobs } from '../../domain/jobs/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { Settings } from '../../platform/settings/setting-table.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { openTelemetry, type Telemetry } from '../../platform/telemetry/telemetry.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import { openStore, type Store } from '../../storage/open.ts';
import { logStateOf } from '../log-state.ts';
import { countedStore } from './counted-store.ts';
import { tracedJobs, watchJobs } from './observed-jobs.ts';
import { tracedPort, tracedStaging } from './traced-port.ts';
import { watchLog } from './watch-log.ts';

/** Opens telemetry first and closes it last, so that it sees the whole life of the store. */
export async function openObservedStore(settings: Settings, log: Log) {
  await using opened = new AsyncDisposableStack();
  const telemetry = opened.use(await openTelemetry(settings, log));
  const store = opened.use(await openStore(settings, (sentence) => log.warn(sentence)));
  const { metrics } = telemetry;
  if (metrics) {
    watchPool(store, metrics);
    watchDisk(settings.dataDir, metrics);
    const onError = (what: string) => (err: unknown) =>
      log.error({ err }, `${what} cannot be read for the metrics.`);
    opened.use(watchJobs(store, metrics, onError('Jobs')));
    opened.use(watchLog(store, logStateOf(store, settings), metrics, onError('The log')));
  }
  const stack = opened.move();
  return {
    store: observedStore(store, telemetry),
    telemetry,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function watchPool({ connections }: Store, metrics: Metrics): void {
  const watch = (
    name: string,
    help: string,
    read: (counts: ReturnType<NonNullable<Store['connections']>>) => number,
  ) =>
    metrics.watch({ kind: 'gauge', name: `cairn_mongodb_connections${name}`, help }, () =>
      connections ? [[{}, read(connections())]] : [],
    );
  watch('', 'Open connections to MongoDB', ({ open }) => open);
  watch('_used', 'Connections to MongoDB that work', ({ used }) => used);
  watch('_waiting', 'Operations that wait for a connection to MongoDB', ({ waiting }) => waiting);
  watch('_limit', 'Most connections to a server of MongoDB', ({ limit }) => limit);
  metrics.watch(
    {
      kind: 'counter',
      name: 'cairn_mongodb_connection_failures_total',
      help: 'Operations that got no connection to MongoDB',
    },
    () => (connections ? [[{}, connections().failures]] : []),
  );
}

function watchDisk(folder: string, metrics: Metrics): void {
  const watch = (name: string, help: string, blocks: 'bavail' | 'blocks') =>
    metrics.watch({ kind: 'gauge', name: `cairn_data_folder_${name}_bytes`, help }, async () => {
      const disk = await statfs(folder).catch(() => undefined);
      return disk ? [[{}, disk[blocks] * disk.bsize]] : [];
    });
  watch('free', 'Free space where the data folder is', 'bavail');
  watch('size', 'Size of the file system where the data folder is', 'blocks');
}

/** The same store, which is counted and traced as far as these are on. */
function observedStore(store: Store, { metrics, traces }: Telemetry): Store {
  const counted = metrics ? countedStore(store, metrics) : store;
  return traces ? tracedStore(counted, traces) : counted;
}

function tracedStore(store: Store, traces: Traces): Store {
  const of: RecordStore['of'] = (declared) => tracedPort(traces, declared.name, store.of(declared));
  return {
    ...store,
    statements: tracedPort(traces, 'statements', store.statements),
    statementIndex: tracedPort(traces, 'statementIndex', store.statementIndex),
    graphContents: tracedPort(traces, 'graphContents', store.graphContents),
    graphs: tracedPort(traces, 'graphs', store.graphs),
    graphImports: tracedPort(traces, 'graphImports', store.graphImports),
    names: tracedPort(traces, 'names', store.names),
    search: tracedPort(traces, 'search', store.search),
    exportResults: tracedStaging(traces, 'exportResults', store.exportResults),
    sealedContents: tracedStaging(traces, 'sealedContents', store.sealedContents),
    blobs: tracedStaging(traces, 'blobs', store.blobs),
    exchangeSeries: tracedPort(traces, 'exchangeSeries', store.exchangeSeries),
    of: (declared) => (declared.name === jobs.name ? tracedJobs(of(declared), traces) : of(declared)),
  };
}
