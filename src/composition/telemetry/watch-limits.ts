import type { Load } from '../../domain/semaphore.ts';
import type { ByteBudget } from '../../platform/http/callers.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

type Limits = Readonly<Record<string, { load(): Load }>>;

/** Shows how much the limits of a service are used. */
export function watchLimits(metrics: Metrics | undefined, limits: Limits): void {
  for (const [name, limit] of Object.entries(limits)) metrics?.watchLimit(name, () => limit.load());
}

export function watchBudget(metrics: Metrics | undefined, service: string, budget: ByteBudget): void {
  const help = 'Bytes of bodies and answers in memory';
  metrics?.watch({ kind: 'gauge', name: 'cairn_buffered_bytes', help, labelNames: ['service'] }, () => [
    [{ service }, budget.held],
  ]);
}
