import { setTimeout as delay } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../log.ts';
import { Traces } from './traces.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** For one attempt to send spans, unless OTEL_EXPORTER_OTLP_TIMEOUT says otherwise. */
const exportMs = 1_500;
/** How long disposing waits for the last spans. */
const closeMs = 2_000;
const quietMs = 60_000;

export interface OpenTraces extends AsyncDisposable {
  readonly traces: Traces;
}

/** Sends spans to the collector that the variables of OpenTelemetry name. The library reads most of them itself. */
export function openTraces(version: string, env: Environment, log: Log): OpenTraces {
  const warn = oncePerMinute((reason) => log.warn({ reason }, 'Traces cannot be sent.'));
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const hasTimeout = env.OTEL_EXPORTER_OTLP_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT;
  const exporter = new OTLPTraceExporter(hasTimeout ? {} : { timeoutMillis: exportMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'cairn', 'service.version': version }).merge(
      detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }),
    ),
    sampler: samplerOf(env, log),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return {
    traces: new Traces(provider.getTracer('cairn', version)),
    async [Symbol.asyncDispose]() {
      const closed = provider.shutdown().catch((error: unknown) => warn(String(error)));
      await Promise.race([closed, delay(closeMs, undefined, { ref: false })]);
    },
  };
}

function ignore(): void {}

function oncePerMinute(write: (reason: string) => void): (reason: string) => void {
  let quietUntil = 0;
  return (reason) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + quietMs;
    // The library writes errors as JSON with their stack.
    write((/"message":"([^"]*)"/.exec(reason)?.[1] ?? reason).slice(0, 300));
  };
}

function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: Environment, log: Log): Sampler {
  const name = OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const ratio = Number(OTEL_TRACES_SAMPLER_ARG || 1);
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const [, parentBased, kind = ''] = /^(parentbased_)?(\w+)$/.exec(name) ?? [];
  const root = Object.hasOwn(roots, kind) ? roots[kind] : undefined;
  if (!root || !(ratio >= 0 && ratio <= 1)) {
    log.warn('OTEL_TRACES_SAMPLER or its OTEL_TRACES_SAMPLER_ARG is not valid, so every trace is sent.');
    return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
  return parentBased ? new ParentBasedSampler({ root: root() }) : root();
}
