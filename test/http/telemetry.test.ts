import { globSync, readFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { watchJobs } from '../../src/composition/telemetry/observed-jobs.ts';
import { permissions } from '../../src/domain/access/grants.ts';
import { Metrics, metricsPage } from '../../src/platform/telemetry/metrics.ts';
import { startProvider } from '../access/provider.ts';
import { blobUrn, dataStatement } from '../builders/statements.ts';
import { type CollectedSpan, startCollector } from '../telemetry/otlp-collector.ts';
import { oidcSettings, tokenWith } from './access-world.ts';
import { everything } from './manifest-samples.ts';
import { type Answer, send, useService } from './service.ts';

const provider = await startProvider();
const collector = await startCollector();
vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'authorization=planted-collector-key');
const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
const service = useService({ ...oidcSettings(provider), CAIRN_METRICS_PORT: '0' }, log);
afterAll(async () => {
  vi.unstubAllEnvs();
  await collector[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const project = '0199a1d2-0000-7000-8000-000000000001';
let token: string;
let metrics: string;

/** A session with one of everything: an ingestion, an export by a job, and callers who are refused. */
beforeAll(async () => {
  token = await tokenWith(provider, { '*': permissions });
  const ask = async (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    await send(service, method, path, body, { authorization: `Bearer ${token}`, ...headers });
  await ask('PUT', '/graph/v1', { graph_id: project, name: 'planted-name' });
  const statement = dataStatement([blobUrn('planted-blob')]);
  const put = { statements: [statement], graph_id: project, generate_id: true };
  expect((await ask('PUT', '/statements/v1/batch', put, { traceparent })).status).toBe(201);
  await ask('PUT', '/statements/v1', '{"statement": "planted-body');
  expect((await ask('POST', '/names/v1', { ids: [blobUrn('planted-blob')] }, { traceparent })).status).toBe(
    200,
  );
  await send(service, 'GET', '/graph/v1', undefined, { authorization: 'Bearer planted-token' });
  await send(service, 'GET', '/graph/v1', undefined, { cookie: 'svc_session=planted-cookie' });
  for (const path of ['/nowhere', '/wp-login.php', '/graph/v1/planted?key=planted-query'])
    await send(service, 'GET', path);
  const exported = await ask('GET', `/manifest/v1?graph_ids=${project}&${everything}`, undefined, {
    prefer: 'respond-async',
    traceparent,
  });
  const job = String(exported.headers.get('location'));
  await vi.waitUntil(async () => (await ask('GET', job)).json.state === 'done', { timeout: 20_000 });
  metrics = await (await fetch(metricsUrl())).text();
  await service.restart();
});

function metricsUrl(): string {
  const [, url] = /Metrics are at ([^"]+)/.exec(lines.join('')) ?? [];
  return String(url);
}

/** The value of the series with these labels. */
function sample(name: string, ...labels: string[]): number | undefined {
  const series = metrics
    .split('\n')
    .find((line) => line.startsWith(name) && labels.every((label) => line.includes(label)));
  return series === undefined ? undefined : Number(series.split(' ').at(-1));
}

test('a job that has ended has one line with its kind, duration and result', () => {
  const ended = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'job');
  const job = { kind: 'manifest-export', result: 'done', attempts: 1 };
  expect(ended).toEqual([expect.objectContaining({ ...job, level: 30, ms: expect.any(Number) })]);
});

describe('metrics', () => {
  test('count requests by template of the route, and all unknown paths as one', () => {
    const name = 'http_server_request_duration_seconds_count';
    expect(sample(name, 'http_route="/statements/v1/batch"', 'method="PUT"', 'status_code="201"')).toBe(1);
    expect(sample(name, 'http_route="/manifest/v1/exports/{id}"', 'status_code="200"')).toBeGreaterThan(0);
    expect(sample(name, 'http_route="unknown"', 'status_code="404"')).toBe(2);
    expect(metrics).not.toMatch(/nowhere|planted/);
  });

  test('count what was stored, who was let in, and jobs', () => {
    expect(sample('cairn_statements_total', 'outcome="stored"')).toBe(1);
    expect(sample('cairn_statement_bytes_total')).toBeGreaterThan(100);
    expect(sample('cairn_authentications_total', 'unauthorized')).toBe(3);
    expect(sample('cairn_authentications_total', 'accepted')).toBeGreaterThan(3);
    expect(sample('cairn_cache_requests_total', 'tokens', 'hit')).toBeGreaterThan(1);
    expect(sample('cairn_job_attempt_duration_seconds_count', 'manifest-export', 'done')).toBe(1);
    expect(sample('cairn_limit_permits', 'blob_write')).toBeGreaterThan(1);
    expect(sample('cairn_jobs', 'waiting')).toBe(0);
  });

  test('have every name that the dashboard, the alert rules and the documentation use', () => {
    const exist = new Set(
      [...metrics.matchAll(/^# TYPE (\S+)|[{,](\w+)="/gm)].map(([, name, label]) => name ?? label),
    );
    const cwd = new URL('../..', import.meta.url);
    const full = ['k8s/dashboards/cairn.json', 'k8s/alerts/cairn.yaml', 'docs/telemetry.md'];
    const files = globSync(['docs/*.md', 'README.md', 'k8s/**/*.{md,json,yaml,tpl,txt}'], { cwd });
    expect(files).toEqual(expect.arrayContaining(full));
    for (const file of files) {
      const text = readFileSync(new URL(file, cwd), 'utf8');
      const used = text.match(/\b(?:http_server|cairn|nodejs|v8js|process)_[a-z0-9_]+/g) ?? [];
      const names = new Set(
        used.map((name) => name.replace(/_(?:bucket|count|sum)$/, (end) => (exist.has(name) ? end : ''))),
      );
      expect(
        [...names].filter((name) => !exist.has(name)),
        file,
      ).toEqual([]);
      expect(names.size, file).toBeGreaterThan(full.includes(file) ? 10 : -1);
    }
  });

  test('lack the jobs while these cannot be counted, and the process goes on', async () => {
    const shown = new Metrics();
    const broken = new TypeError('planted');
    const failures: unknown[] = [];
    const of = () => {
      return { page: async () => Promise.reject(broken) };
    };
    const store = { of, now: () => new Date() } as unknown as Parameters<typeof watchJobs>[0];
    await using _watching = watchJobs(store, shown, (error) => void failures.push(error));
    await vi.waitUntil(() => failures.length > 0);
    expect(failures).toEqual([broken]);
    expect(await shown.text()).not.toContain('cairn_jobs{');
  });

  test('are read once for any number of scrapers', async () => {
    let reads = 0;
    const text = async () => {
      reads += 1;
      return 'cairn_jobs 0';
    };
    const page = metricsPage({ text, contentType: 'text/plain' });
    const request = () => new Request('http://127.0.0.1/metrics');
    await Promise.all(Array.from({ length: 100 }, async () => await page(request())));
    await page(request());
    expect(reads).toBe(1);
  });
});

describe('traces', () => {
  const named = (name: string): CollectedSpan | undefined =>
    collector.spans.find((span) => span.name === name && span.traceId === traceId);

  test('continue that of the caller through threads, store and job', () => {
    const ingestion = named('PUT /statements/v1/batch');
    expect(ingestion).toMatchObject({ parentId: 'b7ad6b7169203331' });
    for (const name of ['identifier.identify', 'statements.putMany'])
      expect(named(name)?.parentId).toBe(ingestion?.spanId);
    expect(named('names.of')?.parentId).toBe(named('POST /names/v1')?.spanId);
    const exported = named('GET /manifest/v1');
    const job = named('job manifest-export');
    expect([exported?.spanId, named('jobs.insert')?.spanId]).toContain(job?.parentId);
    expect(named('exportResults.commit')?.parentId).toBe(job?.spanId);
  });

  test('hold no content of requests', () => {
    expect(collector.bodies.join('')).not.toMatch(/planted/);
  });
});

describe('the log', () => {
  test('names request, trace and principal', () => {
    const line = lines.map((text) => JSON.parse(text)).find(({ path }) => path === '/statements/v1/batch');
    expect(line).toMatchObject({
      request_id: expect.any(String),
      trace_id: traceId,
      principal: { issuer: provider.issuer, subject: 'ada' },
      status: 201,
    });
  });

  test('has no tokens, cookies, keys or bodies', () => {
    const text = lines.join('');
    expect(text).not.toMatch(/planted-(?:token|cookie|body|blob|name|query|collector-key)/);
    for (const part of token.split('.')) expect(text).not.toContain(part);
  });
});
