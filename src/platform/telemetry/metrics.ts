import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Load } from '../../domain/semaphore.ts';

/** Upper bounds in seconds, as OpenTelemetry's conventions have them. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const gcBuckets = [0.01, 0.1, 1, 10];
const jobBuckets = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600];

type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];
type Read = () => Iterable<Sample> | Promise<Iterable<Sample>>;

interface WatchedMetric {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** The metrics of one process. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #sources = new Map<string, Read[]>();

  readonly requestDuration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: requestBuckets,
    registers: [this.#registry],
  });
  readonly activeRequests = new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests that are being answered',
    registers: [this.#registry],
  });
  readonly authentications = this.#counter(
    'cairn_authentications_total',
    'Requests that had to authenticate, by outcome',
    ['outcome'],
  );
  readonly cacheRequests = this.#counter('cairn_cache_requests_total', 'Look-ups in a cache, by result', [
    'cache',
    'result',
  ]);
  readonly statements = this.#counter('cairn_statements_total', 'Statements given to the store, by outcome', [
    'outcome',
  ]);
  readonly statementBytes = this.#counter(
    'cairn_statement_bytes_total',
    'Bytes of the statements given to the store',
  );
  readonly blobs = this.#counter('cairn_blobs_total', 'Blobs given to the store, by outcome', ['outcome']);
  readonly blobBytes = this.#counter('cairn_blob_bytes_total', 'Bytes of blobs, by direction', ['direction']);
  readonly uncoveredMembers = this.#counter(
    'cairn_uncovered_members_total',
    'Members of statements that the id does not cover',
  );
  readonly admissionReviews = this.#counter(
    'cairn_admission_reviews_total',
    'Reviews of the admission webhook, by policy, mode and outcome',
    ['policy', 'mode', 'outcome'],
  );
  readonly jobAttempts = new Histogram({
    name: 'cairn_job_attempt_duration_seconds',
    help: 'Duration of attempts at jobs, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    buckets: jobBuckets,
    registers: [this.#registry],
  });

  readonly gcDuration = new Histogram({
    name: 'v8js_gc_duration_seconds',
    help: 'Duration of garbage collections of the main thread',
    labelNames: ['v8js_gc_type'],
    buckets: gcBuckets,
    registers: [this.#registry],
  });

  /** Reads values whenever somebody asks for the metrics. Several sources of one name must differ in their labels. */
  watch({ kind, name, help, labelNames = [] }: WatchedMetric, read: Read): void {
    const sources = this.#sources.get(name);
    if (sources) return void sources.push(read);
    const all = [read];
    this.#sources.set(name, all);
    const Kind: typeof Gauge | typeof Counter = kind === 'gauge' ? Gauge : Counter;
    new Kind({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      async collect() {
        this.reset();
        for (const source of all) for (const [labels, value] of await source()) this.inc(labels, value);
      },
    });
  }

  watchLimit(limit: string, load: () => Load): void {
    const watch = (name: string, help: string, value: (load: Load) => number) =>
      this.watch({ kind: 'gauge', name, help, labelNames: ['limit'] }, () => [[{ limit }, value(load())]]);
    watch('cairn_limit_permits', 'Works that a limit admits at once', ({ limit }) => limit);
    watch('cairn_limit_running', 'Works that hold a permit of a limit', ({ running }) => running);
    watch('cairn_limit_waiting', 'Works that wait for a permit of a limit', ({ waiting }) => waiting);
  }

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    return await this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter<Label>({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }
}

/** Scrapers that come more often get the same page again. */
const keptMs = 1_000;

/** Answers GET /metrics. However often it is asked, the values are read once a second and by one reader at a time. */
export function metricsPage(
  metrics: Pick<Metrics, 'text' | 'contentType'>,
): (request: Request) => Promise<Response> {
  let page: Promise<Buffer<ArrayBuffer>> | undefined;
  let forgetAt = Number.POSITIVE_INFINITY;

  function read(): Promise<Buffer<ArrayBuffer>> {
    if (page && performance.now() < forgetAt) return page;
    forgetAt = Number.POSITIVE_INFINITY;
    page = metrics.text().then((text) => Buffer.from(text));
    const done = () => {
      forgetAt = performance.now() + keptMs;
    };
    page.then(done, done);
    return page;
  }

  return async ({ method, url }) => {
    if (new URL(url).pathname !== '/metrics') return new Response('See /metrics.\n', { status: 404 });
    if (method !== 'GET' && method !== 'HEAD')
      return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
    const body = await read();
    return new Response(method === 'HEAD' ? null : body, {
      headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
    });
  };
}
