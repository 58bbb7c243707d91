import packageJson from '../../../package.json' with { type: 'json' };
import { listen } from '../http/server.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings/setting-table.ts';
import type { Metrics } from './metrics.ts';
import type { Traces } from './traces.ts';

/** What a process tells about itself. What is off is undefined, and then nothing is measured. */
export interface Telemetry {
  readonly metrics: Metrics | undefined;
  readonly traces: Traces | undefined;
}

export const noTelemetry: Telemetry = { metrics: undefined, traces: undefined };

/** More scrapers at once are refused. */
const scrapersAtOnce = 64;

/**
 * Opens what the settings and the variables of OpenTelemetry turn on. Disposing sends the last spans, for at most a few
 * seconds. @throws ServiceError `unavailable` if the port for metrics cannot be used.
 */
export async function openTelemetry(
  { metricsPort: port, host }: Pick<Settings, 'metricsPort' | 'host'>,
  log: Log,
): Promise<Telemetry & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const traces = await openTracesOf(opened, log);
  let metrics: Metrics | undefined;
  if (port !== null) {
    // Imported here, because a process without metrics does not need the library.
    const { Metrics, metricsPage } = await import('./metrics.ts');
    const { watchRuntime } = await import('./runtime-metrics.ts');
    metrics = new Metrics();
    opened.use(watchRuntime(metrics));
    const limits = { portSetting: 'CAIRN_METRICS_PORT', maxConnections: scrapersAtOnce };
    const listening = await listen({ fetch: metricsPage(metrics), host, port, ...limits });
    const server = opened.adopt(listening, (server) => server.stop(0));
    log.info({ url: `${server.url}/metrics` }, `Metrics are at ${server.url}/metrics`);
  }
  const stack = opened.move();
  return { metrics, traces, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function openTracesOf(opened: AsyncDisposableStack, log: Log): Promise<Traces | undefined> {
  const { env } = process;
  const isNamed = env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const isWanted = env.OTEL_TRACES_EXPORTER ? env.OTEL_TRACES_EXPORTER === 'otlp' : isNamed;
  if (!isWanted || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol && protocol !== 'http/protobuf')
    log.warn(
      { protocol },
      'Traces are sent as http/protobuf. Other values of OTEL_EXPORTER_OTLP_PROTOCOL are not supported.',
    );
  const { openTraces } = await import('./open-traces.ts');
  return opened.use(openTraces(packageJson.version, env, log)).traces;
}
