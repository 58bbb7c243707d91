import { readdir } from 'node:fs/promises';
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceNodeEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { Metrics } from './metrics.ts';

const gcTypes: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/**
 * Measures event loop, memory, garbage collection and process, under the names of OpenTelemetry's conventions. Disposing
 * ends that.
 */
export function watchRuntime(metrics: Metrics): Disposable {
  const stack = new DisposableStack();
  stack.adopt(watchEventLoop(metrics), (delay) => delay.disable());
  stack.adopt(watchGarbageCollection(metrics), (observer) => observer.disconnect());
  watchProcess(metrics);
  return stack;
}

function watchEventLoop(metrics: Metrics) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const watch = (name: string, help: string, value: () => number) =>
    metrics.watch(
      { kind: 'gauge', name: `nodejs_eventloop_${name}`, help: `${help}, since the last reading` },
      () => [[{}, value()]],
    );
  const watchDelay = (name: string, nanoseconds: () => number) =>
    // Without a measurement, some of the values are no numbers or very large.
    watch(`delay_${name}_seconds`, `Event loop delay (${name})`, () =>
      delay.count > 0 ? nanoseconds() * 1e-9 : 0,
    );
  for (const name of ['min', 'max', 'mean', 'stddev'] as const) watchDelay(name, () => delay[name]);
  watchDelay('p50', () => delay.percentile(50));
  watchDelay('p90', () => delay.percentile(90));
  watchDelay('p99', () => {
    const p99 = delay.percentile(99);
    // The others have been read before it.
    delay.reset();
    return p99;
  });
  let before = performance.eventLoopUtilization();
  watch('utilization_ratio', 'Share of time in which the event loop was busy', () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  });
  return delay;
}

function watchGarbageCollection({ gcDuration }: Metrics): PerformanceObserver {
  for (const type of gcTypes.values()) gcDuration.zero({ v8js_gc_type: type });
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as PerformanceNodeEntry[]) {
      const type = gcTypes.get(detail?.kind);
      if (type !== undefined) gcDuration.observe({ v8js_gc_type: type }, duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return observer;
}

function watchProcess(metrics: Metrics): void {
  metrics.watch(
    {
      kind: 'gauge',
      name: 'v8js_memory_heap_used_bytes',
      help: 'Used heap of the main thread, by space',
      labelNames: ['v8js_heap_space_name'],
    },
    () =>
      getHeapSpaceStatistics().map(({ space_name, space_used_size }) => [
        { v8js_heap_space_name: space_name },
        space_used_size,
      ]),
  );
  metrics.watch(
    { kind: 'gauge', name: 'process_memory_usage_bytes', help: 'Resident memory of the process' },
    () => [[{}, process.memoryUsage.rss()]],
  );
  metrics.watch(
    {
      kind: 'counter',
      name: 'process_cpu_time_seconds_total',
      help: 'CPU time of the process',
      labelNames: ['cpu_mode'],
    },
    () => {
      const { user, system } = process.cpuUsage();
      return [
        [{ cpu_mode: 'user' }, user / 1e6],
        [{ cpu_mode: 'system' }, system / 1e6],
      ];
    },
  );
  metrics.watch(
    { kind: 'gauge', name: 'process_uptime_seconds', help: 'Time since the start of the process' },
    () => [[{}, process.uptime()]],
  );
  metrics.watch(
    { kind: 'gauge', name: 'process_unix_file_descriptor_count', help: 'Open file descriptors (on Linux)' },
    async () => {
      const open = await readdir('/proc/self/fd').catch(() => undefined);
      return open ? [[{}, open.length]] : [];
    },
  );
}
