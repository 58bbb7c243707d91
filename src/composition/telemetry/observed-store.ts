import type { RecordStore } from '../../domain/collections/collection.ts';
import { jobs } from '../../domain/jobs/jobs.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import type { Store } from '../../storage/open.ts';
import { countedStore } from './counted-store.ts';
import { tracedJobs } from './observed-jobs.ts';
import { tracedPort, tracedStaging } from './traced-port.ts';

/** The same store, which is counted and traced as far as these are on. */
export function observedStore(store: Store, { metrics, traces }: Telemetry): Store {
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
    exportResults: tracedStaging(traces, 'exportResults', store.exportResults),
    sealedContents: tracedStaging(traces, 'sealedContents', store.sealedContents),
    blobs: tracedStaging(traces, 'blobs', store.blobs),
    exchangeSeries: tracedPort(traces, 'exchangeSeries', store.exchangeSeries),
    of: (declared) => (declared.name === jobs.name ? tracedJobs(of(declared), traces) : of(declared)),
  };
}
