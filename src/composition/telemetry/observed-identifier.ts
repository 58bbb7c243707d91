import type { StatementPool } from '../../../workers/statement-pool.ts';
import type { Identifier, JsonReader } from '../../domain/integrity/ports.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import { tracedPort } from './traced-port.ts';

/** The threads as ports, whose work is measured and traced. */
export function observedIdentifier(
  pool: StatementPool,
  { metrics, traces }: Telemetry,
): Identifier & JsonReader {
  const traced = tracedPort<Identifier & JsonReader>(traces, 'identifier', pool);
  if (!metrics) return traced;
  const watch = (kind: 'gauge' | 'counter', name: string, help: string, value: () => number) =>
    metrics.watch({ kind, name: `cairn_worker_${name}`, help }, () => [[{}, value()]]);
  watch('gauge', 'threads', 'Most tasks that threads work on at once', () => pool.load().limit);
  watch('gauge', 'running_tasks', 'Tasks that threads work on', () => pool.load().running);
  watch('gauge', 'waiting_tasks', 'Tasks that wait for a thread', () => pool.load().waiting);
  watch(
    'counter',
    'busy_seconds_total',
    'Time that tasks have held a thread',
    () => pool.load().busyMs / 1_000,
  );
  metrics.watch(
    {
      kind: 'counter',
      name: 'cairn_identifications_total',
      help: 'Requests to identify statements, by place',
      labelNames: ['place'],
    },
    () => {
      const { inline, onThreads } = pool.load();
      return [
        [{ place: 'main' }, inline],
        [{ place: 'threads' }, onThreads],
      ];
    },
  );
  return {
    async identify(...work) {
      const identified = await traced.identify(...work);
      for (const { places } of identified.uncovered) metrics.uncoveredMembers.inc(Math.max(places.length, 1));
      return identified;
    },
    identifyUnder: (...work) => traced.identifyUnder(...work),
    nquads: (...work) => traced.nquads(...work),
    canonicalNQuads: (...work) => traced.canonicalNQuads(...work),
    canonicalDigests: (...work) => traced.canonicalDigests(...work),
    nquadsUnder: (...work) => traced.nquadsUnder(...work),
    readStatements: (...work) => traced.readStatements(...work),
    jcs: (...work) => traced.jcs(...work),
  };
}
